/**
 * Stretches of work, told from the times of commits.
 *
 * - `workSessions(times)` a pause of more than 45 minutes ends one. Its length is from the first to the last commit in it, so a single
 *   commit has none: what went before it is not known.
 * - `streakOf(days, today)` how many days in a row have something, up to today, or up to yesterday while today has nothing yet.
 */
const pauseMs = 45 * 60_000;

export interface WorkSession {
  readonly startMs: number;
  readonly endMs: number;
  readonly commits: number;
}

export function workSessions(times: readonly number[]): WorkSession[] {
  const sessions: WorkSession[] = [];
  for (const at of times.toSorted((a, b) => a - b)) {
    const open = sessions.at(-1);
    if (open && at - open.endMs <= pauseMs)
      sessions[sessions.length - 1] = { ...open, endMs: at, commits: open.commits + 1 };
    else sessions.push({ startMs: at, endMs: at, commits: 1 });
  }
  return sessions;
}

const dayMs = 86_400_000;
const dayBefore = (day: string): string => new Date(Date.parse(day) - dayMs).toISOString().slice(0, 10);

export function streakOf(days: ReadonlySet<string>, today: string): number {
  let day = days.has(today) ? today : dayBefore(today);
  let streak = 0;
  for (; days.has(day); day = dayBefore(day)) streak += 1;
  return streak;
}
