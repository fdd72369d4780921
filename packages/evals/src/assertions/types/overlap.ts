/** Assertions that compare the words of an output with those of a reference. */
import { type Check, type Checker, isMembers, need, scored } from "../assertion.ts";
import { bleu, gleu, meteor, rouge1 } from "../word-overlap.ts";

function references({ value, baseType }: Check): readonly string[] {
  const given = Array.isArray(value) ? (value as unknown[]) : [value];
  const areTexts = given.length > 0 && given.every((one) => typeof one === "string");
  need(areTexts, `${baseType} needs a text or a list of texts as its value`);
  return given as string[];
}

export const overlapAssertions: Readonly<Record<string, Checker>> = {
  bleu: (check) =>
    scored(bleu(check.text, references(check)), check.assertion.threshold ?? 0.5, check, "the BLEU score"),
  gleu: (check) =>
    scored(gleu(check.text, references(check)), check.assertion.threshold ?? 0.5, check, "the GLEU score"),
  "rouge-n": (check) => {
    const { value, text, assertion } = check;
    need(typeof value === "string", "rouge-n needs a text as its value");
    const score = rouge1(text.toLowerCase(), value.toLowerCase());
    return scored(score, assertion.threshold ?? 0.75, check, "the ROUGE-N score");
  },
  meteor: (check) => {
    need(check.text !== "", "meteor needs an output that is not empty");
    const number = (name: string, usual: number): number => {
      const own = check.assertion[name];
      const given = own === undefined && isMembers(check.assertion.config) ? check.assertion.config[name] : own;
      return typeof given === "number" ? given : usual;
    };
    const weights = { alpha: number("alpha", 0.9), beta: number("beta", 3), gamma: number("gamma", 0.5) };
    const score = meteor(check.text, references(check), weights);
    return scored(score, check.assertion.threshold ?? 0.5, check, "the METEOR score");
  },
};
