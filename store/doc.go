// Package store keeps data sets on disk, where events that do not fit into
// memory can live and where a data set that was read once opens at once.
//
// A store is a folder:
//
//	NAME/
//	  cambium-store.json           definitions, numbers of rows, what the files are; written last
//	  entities/0-method.parquet    a file per entity type; column "name", then a column per field
//	  events/0-invocation/000000.parquet, 000001.parquet, …
//	                               a folder per event type, cut into segments in sequence order
//
// The tables are plain Parquet, so that other programs can read them. A value
// is an INT64; a reference is a UINT_32, the row of the entity in its table,
// and 4294967295 refers to nothing. All columns are required, and compressed
// with zstd. All segments of a type have as many events, at most [segmentRows],
// in row groups of [groupRows], the last ones fewer, so that where an event is
// follows from its number. The JSON has the smallest and the largest value of
// every column of every segment.
//
// While a data set is read, rows that are no events yet may be in a temporary
// file beside the tables (pages.go).
//
// Opening reads the entities, which always live in memory, and no events.
// Charts whose order of events matters get them by [events.Read], decoded by
// parquet-go on all cores. Those that add up hand that over as a
// [data.Reduction], which two engines can do with equal results:
//
//   - loops over decoded columns with an array, or a hash table, of sums
//     (reduce.go); always there, and what is used wherever it can be;
//   - DuckDB on the same files (duckdb.go), in a build with the tag duckdb, for
//     which cgo, a C++ compiler and a library for the system have to be there.
//     CAMBIUM_ENGINE=duckdb makes it do all of them.
//
// What does not belong here: the meaning of events, charts, the text of
// filters (package query makes it a [data.Condition]).
package store
