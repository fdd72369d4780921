/**
 * What a template may reach: own members of plain values, and harmless methods of strings, lists and numbers. Prototypes,
 * constructors and functions of the program are out of reach, because variables may come from anywhere.
 *
 * - `memberOf(value, key)` undefined for everything else.
 */
export type TemplateFunction = (...args: never[]) => unknown;

const stringMethods = new Set([
  ..."at charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf localeCompare padEnd padStart repeat".split(
    " ",
  ),
  ..."replace replaceAll slice split startsWith substr substring toLowerCase toString toUpperCase trim trimEnd trimStart".split(
    " ",
  ),
]);
const listMethods = new Set(
  "at concat flat includes indexOf join keys lastIndexOf pop push reverse shift slice sort toString unshift values".split(
    " ",
  ),
);
const numberMethods = new Set(["toFixed", "toPrecision", "toString", "toExponential"]);
const maxRepeat = 1_000_000;

export function memberOf(value: unknown, key: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  const name = typeof key === "symbol" ? "" : String(key);
  if (typeof value === "string") {
    if (name === "length" || /^\d+$/.test(name)) return (value as unknown as Record<string, unknown>)[name];
    return stringMethods.has(name) ? method(value, name) : undefined;
  }
  if (Array.isArray(value)) {
    if (name === "length" || Object.hasOwn(value, name)) return (value as unknown as Record<string, unknown>)[name];
    return listMethods.has(name) ? method(value, name) : undefined;
  }
  if (typeof value === "number") return numberMethods.has(name) ? method(value, name) : undefined;
  if (typeof value !== "object" || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function method(value: string | number | unknown[], name: string): TemplateFunction {
  return (...args: unknown[]) => {
    const sizes = args.filter((one) => typeof one === "number");
    if (/^(?:repeat|pad)/.test(name) && sizes.some((size) => size > maxRepeat)) {
      throw new RangeError(`${name} of more than ${maxRepeat} characters`);
    }
    // Functions as arguments cannot be written in a template, and the methods above call none.
    const found = (value as unknown as Record<string, (...given: unknown[]) => unknown>)[name];
    return found?.apply(value, args);
  };
}
