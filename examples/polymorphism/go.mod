module example.com/polymorphism

go 1.26.8

require github.com/cambium-prof/cambium v0.0.0

replace github.com/cambium-prof/cambium => ../..
