# Evals of a small program: ruby run_evals.rb
require "json"
require "tempfile"

CASES = [
  { name: "plain", input: "hello", expected: "HELLO" },
  { name: "mixed", input: "Hello you", expected: "HELLO YOU" },
  { name: "wrong", input: "hello", expected: "hello" },
].freeze

# Stands in for your program: converts text to upper case.
def answer(text)
  text.upcase
end

results = CASES.map do |test|
  started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  output = answer(test[:input])
  {
    name: test[:name],
    input: test[:input],
    passed: output == test[:expected],
    output: { response: output },
    duration_ms: ((Process.clock_gettime(Process::CLOCK_MONOTONIC) - started) * 1000).round,
  }
end

Tempfile.create(["evals", ".json"]) do |file|
  file.write(JSON.generate({ schema_version: 1, suite: "shouting", all_results: results }))
  file.close
  system("devflow", "eval", "push", file.path, exception: true)
end
