package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/symbol"
)

func program(t *testing.T, lang symbol.Language, fill func(p *Program)) *data.Set {
	t.Helper()
	b := data.NewBuilder("test", "test")
	p := NewProgram(b, lang)
	fill(p)
	if err := p.Finish(); err != nil {
		t.Fatal(err)
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// drawn writes the entities of a type, each as "name (field=value field=value)".
func drawn(set *data.Set, entityType string) string {
	e := set.Entity(entityType)
	if e == nil {
		return "none"
	}
	var all []string
	for row, name := range e.Names {
		var fields []string
		for i, f := range e.Fields {
			if f.IsReference() {
				fields = append(fields, fmt.Sprintf("%s=%s", f.Name, set.Entity(f.Refers).NameOf(e.Columns[i].Refs[row])))
			} else {
				fields = append(fields, fmt.Sprintf("%s=%d", f.Name, e.Columns[i].Values[row]))
			}
		}
		all = append(all, name+" ("+strings.Join(fields, " ")+")")
	}
	return strings.Join(all, ", ")
}

func TestProgram(t *testing.T) {
	set := program(t, symbol.Java, func(p *Program) {
		gift := p.Class("shop.Gift")
		if m := p.Method(Frame{Name: "shop.Cart.total()I"}); m != 0 || p.Class("shop.Cart[]") != 1 || p.Class("shop.Gift") != gift {
			t.Error("ids do not follow each other")
		}
		p.Method(Frame{Name: "shop.Gift.price()I"})
	})
	for entityType, want := range map[string]string{
		TypePackage: "shop (Parent=)",
		TypeClass:   "shop.Gift (Package=shop), shop.Cart[] (Package=shop), shop.Cart (Package=shop)",
		TypeMethod:  "shop.Cart.total()I (Class=shop.Cart Package=shop), shop.Gift.price()I (Class=shop.Gift Package=shop)",
		TypeFile:    "none",
		TypeBinary:  "none",
	} {
		if got := drawn(set, entityType); got != want {
			t.Errorf("%s: %s, want %s", entityType, got, want)
		}
	}
	set = program(t, symbol.Cpp, func(p *Program) {
		p.Method(Frame{Name: "f"})
		p.Method(Frame{Name: "a::g", File: "a.cc", Line: 7, Binary: "a.so"})
	})
	if got, want := drawn(set, TypeMethod), "f (Class= Package= File= Line=0 Binary=), a::g (Class= Package=a File=a.cc Line=7 Binary=a.so)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestDeepPackages: a name that is all packages costs about its length.
func TestDeepPackages(t *testing.T) {
	const deep = 1 << 19
	set := program(t, symbol.Java, func(p *Program) { p.Method(Frame{Name: strings.Repeat("a.", deep) + "B.c()V"}) })
	packages := set.Entity(TypePackage)
	if packages.Rows() != maxPackages+1 || packages.Names[2] != "a.a.a" || len(packages.Names[maxPackages]) != 2*deep-1 {
		t.Errorf("%d packages; the last is %d bytes long", packages.Rows(), len(packages.Names[packages.Rows()-1]))
	}
	of, _ := set.Entity(TypeClass).Column("Package")
	if of.Refs[0] != maxPackages {
		t.Errorf("the class is in package %d", of.Refs[0])
	}
}
