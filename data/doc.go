// Package data is the data protocol: how a source says what it has, and how
// the platform holds it.
//
// A data set is a handful of tables. An entity table holds named things that
// do not occur (methods, classes, threads, calling contexts); an event table
// holds what occurred, in order (samples, calls, allocations). A table is
// described by a [Definition]; its columns are either 64-bit integers or
// references to an entity. Sources fill tables through an [EntityBuilder] or
// an [EventBuilder], which verify every element against its definition;
// [Builder.Finish] freezes them into a [Set] that nothing mutates any more.
//
// The model is that of EVolve (Wang, McGill 2002, chapters 2 and 3): elements,
// entities, events, fields with properties, direct and indirect references.
// It differs where scale demands: columns for objects, batches for single
// elements, and values of 64 bits.
//
// What does not belong here: file formats (package source), trees (package
// cct), and anything that draws.
package data
