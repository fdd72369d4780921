import { expect, test } from "bun:test";
import type { EvalVerdict } from "@devflow/protocol";
import { type NextAlarm, nextAlarm } from "./next-alarm.ts";

type Row = [
  isOpen: boolean,
  versusBefore: EvalVerdict | null,
  versusBaseline: EvalVerdict | null,
  isSameState: boolean,
  next: NextAlarm,
];
const rows: Row[] = [
  // well
  [false, null, null, false, "none"],
  [false, "no evidence", null, false, "none"],
  [false, "improvement", null, false, "none"],
  [false, "not enough data", null, false, "none"],
  [false, "regression", null, false, "open"],
  // the same commit, run again
  [true, "regression", "regression", true, "none"],
  [true, "regression", "not enough data", true, "none"],
  [true, "not enough data", "no evidence", true, "close"],
  [true, null, null, true, "none"],
  // another commit
  [true, "no evidence", "regression", false, "none"],
  [true, "not enough data", "not enough data", false, "none"],
  [true, "regression", "regression", false, "worsen"],
  [true, "improvement", "regression", false, "none"],
  [true, "improvement", "not enough data", false, "close"],
  [true, "not enough data", "no evidence", false, "close"],
  [true, "not enough data", "improvement", false, "close"],
  // the runs before it are gone
  [true, "improvement", null, false, "close"],
  [true, "no evidence", null, false, "none"],
];

test.each(rows)(
  "open %p, against the state before %p, against the baseline %p, the same state %p: %p",
  (isOpen, versusBefore, versusBaseline, isSameState, next) => {
    expect(nextAlarm(isOpen, { versusBefore, versusBaseline, isSameState })).toBe(next);
  },
);
