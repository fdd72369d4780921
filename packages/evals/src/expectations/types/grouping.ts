/** Expectations about clusters and groups: number, size, members, themes. */
import { z } from "zod";
import {
  bounds,
  defineExpectation,
  type ExpectationType,
  noParameters,
  wholeCount,
  within,
} from "../define-expectation.ts";
import { labelKey } from "../labels.ts";
import { failing, impossible } from "../outcome.ts";
import {
  asNumber,
  caseList,
  type Found,
  firstMember,
  isBlank,
  isObject,
  type Members,
  type OutputReader,
  shown,
  typeName,
  wrongType,
} from "../output-reader.ts";

const range = bounds({ min: wholeCount.optional(), max: wholeCount.optional() }, "min", "max");
const memberKeys = ["members", "attendees", "people", "articles", "items"] as const;

interface Group {
  readonly members: readonly string[];
  readonly place: string;
}

const readGroups = (output: OutputReader): Found<readonly Members[]> => output.objects("groups", "clusters");

function groupsWithMembers(output: OutputReader): Group[] {
  const { value, place } = readGroups(output);
  if (value.length === 0) throw failing(`${place} is empty`, { expected: "at least one group", actual: 0, place });
  return value.map((group, index) => {
    const at = `${place}[${index}]`;
    const members = firstMember(group, ...memberKeys);
    if (members === undefined) {
      throw failing(`${at} has no members; it has: ${Object.keys(group).slice(0, 20).join(", ") || "nothing"}`, {
        expected: memberKeys.join(" or "),
        actual: Object.keys(group).slice(0, 20),
        place: at,
      });
    }
    if (!Array.isArray(members)) throw wrongType({ value: members, place: `${at}'s members` }, "a list");
    return { members: members.map((one, member) => personOf(one, `${at}[${member}]`)), place: at };
  });
}

/** The id, else the name, else the string itself. */
function personOf(given: unknown, place: string): string {
  const name = isObject(given) ? firstMember(given, "id", "name", "title", "url") : given;
  if (typeof name === "string" || typeof name === "number") return String(name);
  throw wrongType({ value: given, place }, "a string or an object with id or name");
}

/** All names of each attendee: a group may use any of them. */
function attendeesOf(given: Parameters<typeof caseList>[0]): { shown: string; keys: readonly string[] }[] {
  const { value, place } = caseList(given, "attendees");
  if (value.length === 0) throw impossible(`${place} is empty: the check could not run`, { place });
  return value.map((one, index) => {
    const names = isObject(one) ? [one.id, one.name] : [one];
    const texts = names.filter((name) => typeof name === "string" || typeof name === "number").map(String);
    if (texts[0] === undefined)
      throw impossible(`${place}[${index}] is ${typeName(one)} without id or name: the check could not run`, { place });
    return { shown: texts[0], keys: texts.map(labelKey) };
  });
}

const storyKeys = ["articles", "stories"] as const;
const storyKey = (story: unknown): string =>
  isObject(story) ? String(firstMember(story, "id", "url", "title") ?? JSON.stringify(story)) : JSON.stringify(story);

/** The stories, or else the distinct stories of the clusters. */
function countStories(output: OutputReader): Found<number> {
  if (output.find("stories")) {
    const { value, place } = output.list("stories");
    return { value: value.length, place };
  }
  if (!output.find("clusters")) throw output.missing("stories", "clusters");
  const stories = storiesPerCluster(output).flatMap(({ value }) => value.map(storyKey));
  return { value: new Set(stories).size, place: "output.clusters" };
}

function storiesPerCluster(output: OutputReader): Found<readonly unknown[]>[] {
  const { value, place } = output.objects("clusters");
  return value.map((cluster, index) => {
    const stories = firstMember(cluster, ...storyKeys);
    const at = `${place}[${index}]`;
    if (stories === undefined)
      throw failing(`${at} has no articles or stories`, {
        expected: storyKeys.join(" or "),
        actual: Object.keys(cluster).slice(0, 20),
        place: at,
      });
    if (!Array.isArray(stories)) throw wrongType({ value: stories, place: `${at}'s stories` }, "a list");
    return { value: stories, place: at };
  });
}

function stories(type: string, bound: "min" | "max"): ExpectationType {
  const words = bound === "min" ? "at least" : "at most";
  return defineExpectation({
    type,
    category: "Clustering",
    reads: "output.stories → distinct clusters[].articles or stories",
    passes: `there are ${words} \`count\``,
    notes: "in total; with `per: cluster`, in each cluster",
    parameters: z.strictObject({ count: wholeCount, per: z.enum(["total", "cluster"]).default("total") }),
    check({ count, per }, output) {
      if (per === "total") {
        const { value, place } = countStories(output);
        return within(value, { [bound]: count }, "stories", place);
      }
      const clusters = storiesPerCluster(output);
      if (clusters.length === 0)
        throw failing("output.clusters is empty", { expected: "a cluster", actual: 0, place: "output.clusters" });
      const verdicts = clusters.map(({ value, place }) => within(value.length, { [bound]: count }, "stories", place));
      return verdicts.find(({ passed }) => !passed) ?? (verdicts[0] as (typeof verdicts)[number]);
    },
  });
}

const genericThemes = /^(?:general(?:_group)?|misc(?:ellaneous)?|others?|various|mixed|(?:group|cluster)_#?\d+)$/;

export const grouping: readonly ExpectationType[] = [
  defineExpectation({
    type: "cluster_count_range",
    category: "Clustering",
    reads: "output.clusters",
    passes: "the number of clusters is within bounds",
    parameters: range,
    check(limits, output) {
      const { value, place } = output.list("clusters");
      return within(value.length, limits, "clusters", place);
    },
  }),
  defineExpectation({
    type: "group_count_range",
    category: "Clustering",
    reads: "output.groups → clusters",
    passes: "the number of groups is within bounds",
    parameters: range,
    check(limits, output) {
      const { value, place } = output.list("groups", "clusters");
      return within(value.length, limits, "groups", place);
    },
  }),
  defineExpectation({
    type: "group_size_range",
    category: "Clustering",
    reads: "groups[] → clusters[]: members → attendees → people → articles → items",
    passes: "the number of members of every group is within bounds",
    notes: "each group, not the mean; no group at all fails",
    parameters: range,
    check(limits, output) {
      const verdicts = groupsWithMembers(output).map(({ members, place }) =>
        within(members.length, limits, "members", place),
      );
      const wrong = verdicts.filter(({ passed }) => !passed);
      return {
        ...(wrong[0] ?? (verdicts[0] as (typeof verdicts)[number])),
        details: wrong.map(({ place, actual }) => ({ place, members: actual })),
      };
    },
  }),
  stories("min_stories", "min"),
  stories("max_stories", "max"),
  defineExpectation({
    type: "all_attendees_assigned",
    category: "Clustering",
    reads: "input.attendees[] (id → name → the string); the members of groups",
    passes: "every attendee is in at least one group",
    notes: "unknown members are reported but do not fail; a case without attendees is an ERROR",
    parameters: noParameters,
    check(_, output, given) {
      const attendees = attendeesOf(given);
      const members = groupsWithMembers(output).flatMap((group) => group.members);
      const keys = new Set(members.map(labelKey));
      const known = new Set(attendees.flatMap((one) => one.keys));
      const absent = attendees.filter((one) => !one.keys.some((key) => keys.has(key))).map((one) => one.shown);
      const unknown = members.filter((one) => !known.has(labelKey(one)));
      return {
        passed: absent.length === 0,
        message:
          absent.length === 0
            ? `all ${attendees.length} attendees are in a group`
            : `in no group: ${absent.slice(0, 20).join(", ")}`,
        expected: attendees.map((one) => one.shown).slice(0, 200),
        actual: members.slice(0, 200),
        place: "output.groups",
        details: { absent, unknown },
      };
    },
  }),
  defineExpectation({
    type: "no_duplicate_assignments",
    category: "Clustering",
    reads: "the members of groups",
    passes: "no member occurs twice, in one group or in several",
    parameters: noParameters,
    check(_, output) {
      const seen = new Map<string, string>();
      const twice: { member: string; in: string[] }[] = [];
      for (const { members, place } of groupsWithMembers(output)) {
        for (const member of members) {
          const first = seen.get(labelKey(member));
          if (first === undefined) seen.set(labelKey(member), place);
          else twice.push({ member, in: [first, place] });
        }
      }
      return {
        passed: twice.length === 0,
        message:
          twice.length === 0
            ? `each of ${seen.size} members is assigned once`
            : `assigned twice: ${twice
                .slice(0, 20)
                .map(({ member }) => member)
                .join(", ")}`,
        expected: [],
        actual: twice.slice(0, 100),
        place: twice[0]?.in[1] ?? "output.groups",
      };
    },
  }),
  defineExpectation({
    type: "themes_not_generic",
    category: "Clustering",
    reads: "clusters[] → groups[]: theme → title → name",
    passes: "every theme is filled and equals none of the forbidden labels",
    notes:
      "the whole label is compared; `forbidden_themes` are added to general, general group, misc, miscellaneous, other, others, various, mixed, group N, cluster N, unless `defaults: false`",
    parameters: z.strictObject({
      forbidden_themes: z.array(z.string().min(1)).default([]),
      defaults: z.boolean().default(true),
    }),
    check({ forbidden_themes, defaults }, output) {
      const { value, place } = output.objects("clusters", "groups");
      if (value.length === 0) throw failing(`${place} is empty`, { expected: "at least one theme", actual: 0, place });
      const forbidden = new Set(forbidden_themes.map(labelKey));
      const wrong = value.flatMap((cluster, index) => {
        const theme = firstMember(cluster, "theme", "title", "name");
        if (typeof theme !== "string" || theme.trim() === "")
          return [{ place: `${place}[${index}]`, theme: theme ?? null }];
        const key = labelKey(theme);
        return forbidden.has(key) || (defaults && genericThemes.test(key))
          ? [{ place: `${place}[${index}]`, theme }]
          : [];
      });
      const first = wrong[0];
      return {
        passed: first === undefined,
        message: first
          ? `${first.place} has the theme ${shown(first.theme)}`
          : `all ${value.length} themes are specific`,
        expected: { none_of: forbidden_themes, ...(defaults ? { defaults } : {}) },
        actual: wrong.slice(0, 50),
        place: first?.place ?? place,
      };
    },
  }),
  defineExpectation({
    type: "has_high_score_cluster",
    category: "Clustering",
    reads: "output.clusters[].score",
    passes: "at least `min` clusters have a score of at least `score`",
    notes: "`min` is a count, `score` an inclusive lower bound",
    parameters: z.strictObject({ score: z.number(), min: wholeCount.default(1) }),
    check({ score, min }, output) {
      const { value, place } = output.objects("clusters");
      const scores = value.map((cluster, index) => {
        const at = `${place}[${index}].score`;
        return isBlank(cluster.score) ? undefined : asNumber({ value: cluster.score, place: at }).value;
      });
      const high = scores.filter((one) => one !== undefined && one >= score).length;
      return {
        ...within(high, { min }, `clusters with a score of at least ${score}`, place),
        details: { scores: scores.slice(0, 100) },
      };
    },
  }),
  defineExpectation({
    type: "all_clusters_have_evidence",
    category: "Clustering",
    reads: "clusters[]: evidence → quotes → sources → articles",
    passes: "there is a cluster, and each has a non-empty list or string",
    parameters: noParameters,
    check(_, output) {
      const { value, place } = output.objects("clusters");
      if (value.length === 0)
        throw failing(`${place} is empty`, { expected: "at least one cluster", actual: 0, place });
      const without = value.flatMap((cluster, index) => {
        const evidence = firstMember(cluster, "evidence", "quotes", "sources", "articles");
        const isThere = (Array.isArray(evidence) || typeof evidence === "string") && !isBlank(evidence);
        return isThere ? [] : [`${place}[${index}]`];
      });
      return {
        passed: without.length === 0,
        message:
          without.length === 0
            ? `all ${value.length} clusters have evidence`
            : `without evidence: ${without.slice(0, 20).join(", ")}`,
        expected: "evidence in each cluster",
        actual: { without },
        place: without[0] ?? place,
      };
    },
  }),
];
