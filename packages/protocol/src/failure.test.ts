import { expect, test } from "bun:test";
import { DevflowError, errorReport } from "@devflow/core/errors";
import { reportOfAnswer } from "./failure.ts";

const report = errorReport(new DevflowError("not_found", { details: { what: "Run 3", next: "devflow run list" } }));

test("the whole error is read from a response, also on the data plane", () => {
  expect(reportOfAnswer(404, { error: report })).toEqual(report);
  const both = { code: "PGRST125", message: report.message, details: null, hint: report.hint, error: report };
  expect(reportOfAnswer(404, both)).toEqual(report);
});

test("an error of the database keeps its code, message, hint and details, and its status decides the exit code", () => {
  const refused = { code: "23505", message: "the slug a is taken", details: "Key (slug)=(a)", hint: "choose another" };
  expect(reportOfAnswer(409, refused)).toEqual({
    ...{ code: "23505", class: "user", message: "the slug a is taken", hint: "choose another", status: 409, exit: 75 },
    details: { details: "Key (slug)=(a)" },
  });
  const exits = [400, 401, 403, 404, 406, 413, 429, 500, 503, 504].map((status) => {
    const { class: errorClass, exit } = reportOfAnswer(status, refused) ?? {};
    return [status, errorClass, exit];
  });
  expect(exits).toEqual([
    [400, "user", 65],
    [401, "user", 77],
    [403, "user", 77],
    [404, "user", 66],
    [406, "user", 65],
    [413, "user", 65],
    [429, "user", 75],
    [500, "fatal", 70],
    [503, "recoverable", 75],
    [504, "recoverable", 75],
  ]);
});

test.each([[undefined], ["<html>"], [{}], [{ error: "no" }], [{ message: "m" }], [[]]])(
  "%j is not a failure of ours",
  (body) => expect(reportOfAnswer(500, body)).toBeUndefined(),
);
