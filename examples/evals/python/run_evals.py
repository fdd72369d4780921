"""Evals of a small program, without any framework: python3 run_evals.py"""
import json
import os
import subprocess
import tempfile
import time

CASES = [
    {"name": "plain", "input": "hello", "expected": "HELLO"},
    {"name": "mixed", "input": "Hello you", "expected": "HELLO YOU"},
    {"name": "wrong", "input": "hello", "expected": "hello"},
]


def answer(text):
    """Stands in for your program: converts text to upper case."""
    return text.upper()


def run(case):
    started = time.monotonic()
    result = {"name": case["name"], "input": case["input"], "category": "shouting"}
    try:
        output = answer(case["input"])
    except Exception as error:  # The case did not run: an error, not a failure.
        return {**result, "status": "error", "error": repr(error)}
    passed = output == case["expected"]
    failure = {
        "type": "deterministic",
        "message": "The answer differs from the expected one",
        "expected": case["expected"],
        "actual": output,
    }
    return {
        **result,
        "passed": passed,
        "output": {"response": output},
        "failures": [] if passed else [failure],
        "duration_ms": round((time.monotonic() - started) * 1000),
    }


results = [run(case) for case in CASES]
handle, path = tempfile.mkstemp(suffix=".json")
with os.fdopen(handle, "w", encoding="utf-8") as file:
    # allow_nan=False: NaN is not valid JSON, so fail here.
    json.dump({"schema_version": 1, "suite": "shouting", "all_results": results}, file, allow_nan=False)
try:
    subprocess.run(["devflow", "eval", "push", path], check=True)
finally:
    os.remove(path)
