module example.com/evals

go 1.21
