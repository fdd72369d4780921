/** Expectations about sources. */
import { z } from "zod";
import { defineExpectation, type ExpectationType, noParameters } from "../define-expectation.ts";
import { labelKey } from "../labels.ts";
import { failing, impossible } from "../outcome.ts";
import {
  type CheckedCase,
  firstMember,
  isBlank,
  isObject,
  type OutputReader,
  shown,
  textKeys,
  wrongType,
} from "../output-reader.ts";
import { findUrls, hostOf, isTweet, urlKey } from "../urls.ts";

const ranNot = new Set(["skipped", "error"]);

/** The URLs that the case gives as sources: strings, or objects with url. */
function sourcesOf({ input }: CheckedCase): string[] {
  const lists = [input.sources, input.urls].filter((one) => one !== undefined && one !== null);
  if (lists.length === 0)
    throw impossible("the case has no `sources` or `urls`: the check could not run", {
      expected: "sources or urls",
      actual: Object.keys(input).slice(0, 20),
      place: "input",
    });
  return lists.flatMap((list) => {
    if (!Array.isArray(list))
      throw impossible("the case's sources are not a list: the check could not run", {
        expected: "a list",
        actual: list,
        place: "input.sources",
      });
    return list.flatMap((one) => {
      const url = isObject(one) ? firstMember(one, "url", "link", "href") : one;
      return typeof url === "string" ? [url] : [];
    });
  });
}

/** Relative URLs in links, which point to the same site. */
const relativeLink = /\]\((\/[^)\s]{0,2000})|href=["'](\/[^"']{0,2000})/giu;

interface OutlineSource {
  readonly id: string | undefined;
  readonly url: string | undefined;
}

function outlineSources(output: OutputReader): OutlineSource[] {
  const outline = output.value("outline");
  if (!isObject(outline.value) && !Array.isArray(outline.value))
    throw wrongType(outline, "an object or a list of sections");
  const sections = isObject(outline.value) ? outline.value.sections : outline.value;
  const own = isObject(outline.value) ? outline.value.sources : undefined;
  const given = [
    own,
    ...(Array.isArray(sections) ? sections.map((one) => (isObject(one) ? one.sources : undefined)) : []),
  ];
  const sources = given.filter(Array.isArray).flat().map(sourceOf);
  const distinct = new Map(sources.map((one) => [one.url ? urlKey(one.url) : labelKey(one.id ?? ""), one]));
  if (distinct.size > 0) return [...distinct.values()];
  throw failing("the outline has no sources", { expected: "sources", actual: 0, place: outline.place });
}

function sourceOf(given: unknown): OutlineSource {
  const isUrl = (text: unknown): text is string => typeof text === "string" && /^https?:\/\//i.test(text);
  if (!isObject(given)) return isUrl(given) ? { id: undefined, url: given } : { id: String(given), url: undefined };
  const url = firstMember(given, "url", "link", "href");
  const id = firstMember(given, "id");
  return {
    id:
      id === undefined
        ? isUrl(url)
          ? undefined
          : String(firstMember(given, "title") ?? JSON.stringify(given))
        : String(id),
    url: isUrl(url) ? url : undefined,
  };
}

export const sourceAudit: readonly ExpectationType[] = [
  defineExpectation({
    type: "source_audit_ran",
    category: "Source audit",
    reads: "output.source_audit → a tool call named source_audit",
    passes: "it is present and not empty, and its status is not skipped or error",
    notes: "checks that the audit ran, not that it found nothing",
    parameters: noParameters,
    check(_, output) {
      const audit = output.find("source_audit");
      if (!audit) {
        if (!output.find("tool_calls")) throw output.missing("source_audit", "tool_calls");
        const { value, place } = output.objects("tool_calls");
        const at = value.findIndex(({ name }) => name === "source_audit");
        const status = at < 0 ? undefined : value[at]?.status;
        const passed = at >= 0 && !(typeof status === "string" && ranNot.has(labelKey(status)));
        return {
          passed,
          message: passed
            ? "source_audit was called"
            : at < 0
              ? "source_audit was not called"
              : `source_audit's status is ${shown(status)}`,
          expected: "source_audit",
          actual: value.map(({ name }) => name ?? null).slice(0, 50),
          place: at < 0 ? place : `${place}[${at}]`,
        };
      }
      const status = isObject(audit.value) ? audit.value.status : audit.value;
      const passed =
        !isBlank(audit.value) && audit.value !== false && !(typeof status === "string" && ranNot.has(labelKey(status)));
      return {
        passed,
        message: passed
          ? `${audit.place} ran`
          : isBlank(audit.value)
            ? `${audit.place} is empty`
            : `${audit.place} is ${shown(status)}`,
        expected: "an audit that ran",
        actual: isObject(audit.value) ? (status ?? null) : audit.value,
        place: audit.place,
      };
    },
  }),
  defineExpectation({
    type: "urls_from_sources",
    category: "Source audit",
    reads: "the URLs in TEXT; input.sources[] and input.urls[]",
    passes: "every URL is one of the case's sources",
    notes:
      "output.sources is not trusted; `allow_tweets` allows x.com and twitter.com statuses, `allow_internal` allows relative URLs and `internal_hosts`; a text without URLs passes with a note",
    parameters: z.strictObject({
      allow_tweets: z.boolean().default(false),
      allow_internal: z.boolean().default(false),
      internal_hosts: z.array(z.string().min(1)).default([]),
    }),
    check({ allow_tweets, allow_internal, internal_hosts }, output, given) {
      const sources = new Set(sourcesOf(given).map(urlKey));
      const { value, place } = output.text(...textKeys);
      const hosts = new Set(internal_hosts.map((host) => host.toLowerCase().replace(/^www\./, "")));
      const relative = [...value.matchAll(relativeLink)]
        .map(([, markdown, html]) => markdown ?? html ?? "")
        .filter((url) => !url.startsWith("//"));
      const urls = findUrls(value);
      const isAllowed = (url: string) =>
        sources.has(urlKey(url)) || (allow_tweets && isTweet(url)) || (allow_internal && hosts.has(hostOf(url) ?? ""));
      const foreign = [
        ...urls.filter((url) => !isAllowed(url)),
        ...(allow_internal ? [] : relative.filter((url) => !sources.has(url))),
      ];
      const message =
        foreign.length > 0
          ? `not among the sources: ${foreign.slice(0, 10).join(", ")}`
          : urls.length + relative.length === 0
            ? `${place} contains no URL`
            : `all ${urls.length + relative.length} URLs are allowed`;
      return {
        passed: foreign.length === 0,
        message,
        expected: [...sources].slice(0, 100),
        actual: foreign.length > 0 ? foreign.slice(0, 100) : urls.slice(0, 100),
        place,
      };
    },
  }),
  defineExpectation({
    type: "outline_sources_cited",
    category: "Source audit",
    reads: "output.outline (sources[], or sections[].sources[]); TEXT",
    passes: "the share of distinct sources that are cited is at least `min_ratio`",
    notes: "a source is cited by its URL, or by its id as `[id]`; an outline without sources fails",
    parameters: z.strictObject({ min_ratio: z.number().min(0).max(1).default(1) }),
    check({ min_ratio }, output) {
      const sources = outlineSources(output);
      const { value, place } = output.text(...textKeys);
      const cited = new Set(findUrls(value).map(urlKey));
      const isCited = ({ id, url }: OutlineSource) =>
        (url !== undefined && cited.has(urlKey(url))) || (id !== undefined && value.includes(`[${id}]`));
      const uncited = sources.filter((one) => !isCited(one)).map(({ id, url }) => url ?? id ?? "");
      const ratio = (sources.length - uncited.length) / sources.length;
      return {
        passed: ratio >= min_ratio,
        message: `${sources.length - uncited.length} of ${sources.length} sources are cited${uncited.length > 0 ? `; not cited: ${uncited.slice(0, 10).join(", ")}` : ""}`,
        expected: { min_ratio },
        actual: ratio,
        place,
        details: { uncited: uncited.slice(0, 100) },
      };
    },
  }),
];
