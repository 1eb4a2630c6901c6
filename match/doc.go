// Package match tells how similar the calls of two traces are (Trümper, Döllner
// and Telea, "Multiscale Visual Comparison of Execution Traces", 2013, section
// III; equations are numbered as there).
//
// Γ(f) is the set of methods that are called in the subtree of the call f, f
// included (eq. 2). The similarity of two calls is how many methods their sets
// share, as a part of all methods in either (eq. 3). Two calls match if their
// similarity is above τ. A match lies within another one if both its calls lie
// in the subtrees of the other's. Matches are partitioned into groups: the root
// of a group is a match that lies within no other, and every other match is in
// a group within whose root it lies.
//
// Matches are too many to be listed: two traces of a hundred thousand calls
// have hundreds of millions of them. But few calls differ in Γ. So everything is
// done with classes, which are the calls of one trace that have the same Γ:
//
//	NewPair    numbers the methods of both traces and finds the classes
//	Pair.At    finds the pairs of classes whose similarity is above τ, and how
//	           many matches they stand for
//	Matches    answers questions about them: sums over intervals (Overview),
//	           Groups, Gaps, the strongest matches of a view (Strongest), all
//	           matches in order (All), the matches of a call
//
// All answers are exact. docs/algorithms.md says how and why.
//
// What belongs here is what is true of two traces, without a picture of them.
// What does not: reading files, layout, keeping results on disk.
package match
