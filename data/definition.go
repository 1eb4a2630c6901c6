package data

import (
	"fmt"
	"slices"
)

// Property tells what a field means, so that a chart can ask for fields by
// meaning. The set is open: a source and a chart may agree on their own.
type Property string

const (
	// Amount is additive: sizes, times, counts.
	Amount Property = "amount"
	// Coordinate is a point in time or space: not additive.
	Coordinate Property = "coordinate"
	// Reference is carried by every field that refers to an entity.
	Reference Property = "reference"
	// Hierarchy is a reference to the parent, an entity of the same type.
	Hierarchy Property = "hierarchy"
)

// Unit is the unit of a value as its source writes it ("nanoseconds",
// "bytes", "count"); empty when the value has none or for references.
type Unit string

// Kind separates what is from what happens.
type Kind uint8

const (
	// Entity is a named thing that does not occur; its order means nothing.
	Entity Kind = iota
	// Event is something that occurred; its order is the order of time.
	Event
)

// String gives the kind in the words of the documentation.
func (k Kind) String() string {
	if k == Event {
		return "event"
	}
	return "entity"
}

// Field defines one column of an element.
type Field struct {
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Unit        Unit       `json:"unit,omitempty"`
	Properties  []Property `json:"properties,omitempty"`
	// Refers names the entity type that a reference points to; empty makes
	// the field a value.
	Refers string `json:"refers,omitempty"`
}

// IsReference reports whether the field refers to an entity.
func (f Field) IsReference() bool { return f.Refers != "" }

// Has reports whether the field carries property p.
func (f Field) Has(p Property) bool {
	return p == Reference && f.IsReference() || slices.Contains(f.Properties, p)
}

// Value defines a field that holds an integer.
func Value(name string, unit Unit, description string, properties ...Property) Field {
	return Field{Name: name, Unit: unit, Description: description, Properties: properties}
}

// Ref defines a field that refers to an entity of the given type.
func Ref(name, entityType, description string, properties ...Property) Field {
	return Field{Name: name, Refers: entityType, Description: description, Properties: properties}
}

// Definition describes one type of element.
type Definition struct {
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Kind        Kind    `json:"-"`
	Fields      []Field `json:"fields"`
}

// Field gives the index of the field of that name, or -1.
func (d Definition) Field(name string) int {
	return slices.IndexFunc(d.Fields, func(f Field) bool { return f.Name == name })
}

// FieldWith gives the index of the first field with property p, or -1.
func (d Definition) FieldWith(p Property) int {
	return slices.IndexFunc(d.Fields, func(f Field) bool { return f.Has(p) })
}

// verify checks what can be checked without knowing the other definitions.
func (d Definition) verify() error {
	if d.Name == "" {
		return fmt.Errorf("%s type without a name", d.Kind)
	}
	for i, f := range d.Fields {
		switch {
		case f.Name == "":
			return fmt.Errorf("%s type %q: field %d has no name", d.Kind, d.Name, i)
		case d.Field(f.Name) != i:
			return fmt.Errorf("%s type %q: two fields are called %q", d.Kind, d.Name, f.Name)
		case f.Has(Hierarchy) && (d.Kind != Entity || f.Refers != d.Name):
			return fmt.Errorf("%s type %q: field %q is a hierarchy, so it must refer to an entity of its own type", d.Kind, d.Name, f.Name)
		case f.IsReference() && (f.Has(Amount) || f.Has(Coordinate)):
			return fmt.Errorf("%s type %q: field %q is a reference, so it cannot be an amount or a coordinate", d.Kind, d.Name, f.Name)
		case !f.IsReference() && slices.Contains(f.Properties, Reference):
			return fmt.Errorf("%s type %q: field %q has the property reference but names no entity type it refers to", d.Kind, d.Name, f.Name)
		case f.Has(Amount) && f.Has(Coordinate):
			return fmt.Errorf("%s type %q: field %q is both an amount and a coordinate", d.Kind, d.Name, f.Name)
		}
	}
	return nil
}
