package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// name is a method's name in the parts a cctcsv file has.
type name struct{ class, method, descriptor string }

func (n name) String() string { return n.class + "." + n.method + n.descriptor }

var (
	packages = strings.Fields(`java.lang java.util java.util.concurrent java.util.stream java.io java.nio.charset
		java.lang.invoke jdk.internal.misc jdk.internal.loader sun.security.provider sun.nio.fs
		org.apache.xalan.transformer org.apache.xml.dtm.ref org.apache.xpath.axes org.apache.fop.layoutmgr.inline
		org.apache.fop.fo.properties org.antlr.v4.runtime.atn org.antlr.runtime.tree com.sun.tools.javac.comp
		com.sun.tools.javac.code com.sun.tools.javac.parser org.hsqldb.persist org.eclipse.jdt.internal.compiler.lookup`)
	nouns = strings.Fields(`Type Node Tree Scope Symbol Token Buffer Stream Context Handler Factory Resolver Visitor
		Element Attribute Property Layout Expression Statement Iterator Cursor Table Index Cache Entry Listener Parser
		Lexer Writer Reader Template Namespace Document Fragment Manager Session Transaction Row Column Codec State`)
	verbs = strings.Fields(`get set is has add remove visit resolve check compute find create make apply accept
		parse read write next push pop merge append update lookup enter leave attrib flush init`)
	arguments = strings.Fields(`I J Z C [B [C Ljava/lang/String; Ljava/lang/Object; Ljava/util/List; Ljava/util/Map;
		Ljava/lang/Class; Lorg/w3c/dom/Node; Lcom/sun/tools/javac/tree/JCTree; Ljava/io/InputStream;`)
)

// makeNames gives n different names in about n/8 classes. The first is
// a thread.
func makeNames(r *rand.Rand, n int) []name {
	pick := func(words []string) string { return words[r.IntN(len(words))] }
	var classes []string
	for i := range n/8 + 1 {
		class := pick(packages) + "." + pick(nouns) + pick(nouns)
		if r.IntN(4) == 0 {
			class += "$" + pick(nouns)
		}
		classes = append(classes, fmt.Sprintf("%s%d", class, i))
	}
	taken := map[name]bool{}
	names := []name{{"<thread>", "main", ""}}
	for len(names) < n {
		method := pick(verbs) + pick(nouns)
		if r.IntN(12) == 0 {
			method = "<init>"
		}
		descriptor := "("
		for r.IntN(3) > 0 {
			descriptor += pick(arguments)
		}
		m := name{pick(classes), method, descriptor + ")" + pick(append(arguments, "V"))}
		if !taken[m] {
			taken[m] = true
			names = append(names, m)
		}
	}
	return names[:n]
}
