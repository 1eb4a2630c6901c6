package scene

// Sides says of the shapes of a comparison what each was on either side: a row
// per shape. What is not known is NaN.
type Sides struct {
	Self, Total [2][]float64 // from, to: amounts, or shares of the whole from 0 to 1
	Whole       [2]float64   // of all there is
	Titles      [2]string    // what the sides are called
	Share       bool         // they are shares
}
