/** Expectations about the findings of a fact-check and their severity. */
import { z } from "zod";
import { bounds, defineExpectation, type ExpectationType, wholeCount, within } from "../define-expectation.ts";
import { severityOrder, severityRank, severityWords } from "../labels.ts";
import { failing } from "../outcome.ts";
import { type CheckedCase, firstMember, type Members, shown, wrongType } from "../output-reader.ts";
import { compilePattern, refuseBadPattern } from "../pattern.ts";
import { normalText } from "../text-measures.ts";

const severityWord = z.string().trim().min(1, "give a severity");

/** The rank of an item's severity; an unknown severity is FAIL. */
function rankOf(value: unknown, place: string, { severityOrder: order }: CheckedCase): number {
  if (typeof value !== "string") throw wrongType({ value, place }, "a severity");
  const rank = severityRank(value, order);
  if (rank !== undefined) return rank;
  throw failing(`${place} is ${shown(value)}, which is not a known severity (${severityWords(order)})`, {
    expected: severityWords(order),
    actual: value,
    place,
  });
}

/** Checked at load, where the suite's own order is known too; see `cases`. */
const knownSeverity = (word: string, given: CheckedCase["severityOrder"]): string | undefined =>
  severityRank(word, given ?? severityOrder) === undefined
    ? `"${word}" is not a known severity (${severityWords(given ?? severityOrder)})`
    : undefined;

const needsSeverity = ({ severity }: { severity: string }, input: Members) =>
  knownSeverity(severity, input.severity_order as CheckedCase["severityOrder"]);

const violationPattern = z.string().min(1, "name the violation").superRefine(refuseBadPattern);

export const factCheck: readonly ExpectationType[] = [
  defineExpectation({
    type: "item_count_range",
    category: "Fact-check",
    reads: "output.items",
    passes: "the number of items is within bounds",
    parameters: bounds({ min: wholeCount.optional(), max: wholeCount.optional() }, "min", "max"),
    check(limits, output) {
      const { value, place } = output.list("items");
      return within(value.length, limits, "items", place);
    },
  }),
  defineExpectation({
    type: "no_false_positives",
    category: "Fact-check",
    reads: "output.items[]",
    passes: "the number of actionable items is at most `max_actionable`",
    notes: "an item is actionable by `item.actionable` if present, else by a severity above the lowest",
    parameters: z.strictObject({ max_actionable: wholeCount.default(0) }),
    check({ max_actionable }, output, given) {
      const { value, place } = output.objects("items");
      const actionable = value.flatMap((item, index) => {
        const at = `${place}[${index}]`;
        if (item.actionable !== undefined && item.actionable !== null) {
          if (typeof item.actionable !== "boolean")
            throw wrongType({ value: item.actionable, place: `${at}.actionable` }, "a boolean");
          return item.actionable ? [at] : [];
        }
        return rankOf(item.severity, `${at}.severity`, given) > 0 ? [at] : [];
      });
      return {
        ...within(actionable.length, { max: max_actionable }, "actionable items", place),
        details: { actionable: actionable.slice(0, 100) },
      };
    },
  }),
  defineExpectation({
    type: "has_severity",
    category: "Fact-check",
    reads: "output.items[].severity",
    passes: "the number of items with exactly that severity is within bounds",
    notes: "exactly, not at least; words of the same rank are equal",
    parameters: bounds(
      { severity: severityWord, min: wholeCount.default(1), max: wholeCount.optional() },
      "min",
      "max",
    ),
    needs: needsSeverity,
    check({ severity, min, max }, output, given) {
      const { value, place } = output.objects("items");
      const wanted = severityRank(severity, given.severityOrder);
      const same = value.filter(
        (item, index) => rankOf(item.severity, `${place}[${index}].severity`, given) === wanted,
      );
      return within(same.length, { min, max }, `items of severity ${severity}`, place);
    },
  }),
  defineExpectation({
    type: "violation_severity_at_least",
    category: "Fact-check",
    reads: "output.items[]: id → violation → type → rule",
    passes: "an item whose key equals `violation`, or matches it as /re/, has at least that severity",
    notes: "of several matches, the most severe counts; no match fails",
    parameters: z.strictObject({ violation: violationPattern, severity: severityWord }),
    needs: needsSeverity,
    check({ violation, severity }, output, given) {
      const { value, place } = output.objects("items");
      const pattern = compilePattern(violation);
      const matches = (key: string) =>
        pattern.plain === undefined ? pattern.find(normalText(key)) !== undefined : normalText(key) === pattern.plain;
      const hits = value.flatMap((item, index) => {
        const key = firstMember(item, "id", "violation", "type", "rule");
        if (typeof key !== "string" || !matches(key)) return [];
        return [
          {
            at: `${place}[${index}]`,
            severity: item.severity,
            rank: rankOf(item.severity, `${place}[${index}].severity`, given),
          },
        ];
      });
      const worst = hits.toSorted((a, b) => b.rank - a.rank)[0];
      if (!worst)
        throw failing(`no item has the violation ${violation}`, {
          expected: { violation, severity },
          actual: value.map((item) => firstMember(item, "id", "violation", "type", "rule") ?? null).slice(0, 50),
          place,
        });
      return {
        passed: worst.rank >= (severityRank(severity, given.severityOrder) ?? Number.POSITIVE_INFINITY),
        message: `${worst.at} is ${shown(worst.severity)}, expected at least ${severity}`,
        expected: { violation, at_least: severity },
        actual: worst.severity,
        place: worst.at,
      };
    },
  }),
];
