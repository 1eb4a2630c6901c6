// Package cambium is the root of the module and has no code of its own. The
// program is cmd/cambium.
//
// The folders are rooms, and data flows through them one way: a package imports
// only rooms above its own.
//
//	symbol    names of methods, split by language
//	data      the data protocol: definitions, builders, columnar tables
//	source    formats and how they are recognised, one folder per format
//	cct       calling context trees and their operations
//	trace     call traces
//	match     similarity of two traces
//	compact   structural compaction of a tree
//	predict   predictors
//	query     predicates and the pipeline of tree operations
//	convert   data sets written in other formats
//	scene     drawing primitives and their renderers
//	viz       the visualization protocol, one folder per chart
//	store     where large or many data sets live
//	server    the interface of the page
//	samples   profiles that come with the program
//	ui        the page
//	cmd       the command
//
// Tests in this package hold the rooms to that order and ARCHITECTURE.md to
// the code.
package cambium
