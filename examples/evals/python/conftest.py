"""Pushes the results of pytest: each test is a case."""
import json
import os
import subprocess
import tempfile

_results = {}


def pytest_runtest_logreport(report):
    # A failed setup or teardown is an error, not a failure of the case.
    if report.when != "call" and report.outcome == "passed":
        return
    status = {"passed": "pass", "failed": "fail", "skipped": "skipped"}[report.outcome]
    if report.outcome == "failed" and report.when != "call":
        status = "error"
    text = str(report.longrepr) if report.longrepr and status != "skipped" else None
    _results[report.nodeid] = {
        "name": report.nodeid,
        "status": status,
        "duration_ms": round(report.duration * 1000),
        "error": text if status == "error" else None,
        "failures": [{"message": text[-2000:]}] if status == "fail" and text else [],
    }


def pytest_sessionfinish(session):
    if not _results:
        return
    handle, path = tempfile.mkstemp(suffix=".json")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump({"schema_version": 1, "suite": "pytest", "all_results": list(_results.values())}, file)
    try:
        subprocess.run(["devflow", "eval", "push", path], check=True)
    finally:
        os.remove(path)
