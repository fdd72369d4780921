/**
 * How many jobs run at the same time: at first one per core, then one more for each second in which the machine had half a
 * core idle, and one less for each in which it was busy. Jobs that wait overlap, and jobs that compute do not starve each
 * other.
 *
 * - `runJobs(jobs, options)` runs all of them in the given order, or until `isOver()`.
 * - `nextLevel(level, idle, cores)` the rule alone.
 * - `watchIdleCores()` how many cores were idle since the last call.
 */
import { availableParallelism, cpus, freemem } from "node:os";

/** Beyond this nearly all of them wait, and more would only use memory. */
const mostPerCore = 4;
const idleEnough = 0.5;
const isBusy = 0.1;
/** What a Chromium, a server and its database take. */
const memoryOfOne = 1024 ** 3;
const stepMs = 1000;

/**
 * @typedef {object} ScheduleOptions
 * @property {number} [cores]
 * @property {() => number} [idleCores]
 * @property {number} [everyMs]
 * @property {() => boolean} [isOver] no further job is started
 *
 * @param {readonly (() => Promise<void>)[]} jobs
 * @param {ScheduleOptions} [options]
 * @returns {Promise<void>}
 */
export function runJobs(jobs, options = {}) {
  const { cores = availableParallelism(), idleCores = watchIdleCores(), everyMs = stepMs, isOver } = options;
  const queue = [...jobs];
  let level = cores;
  let running = 0;
  return new Promise((resolve, reject) => {
    const fill = () => {
      while (running < level && queue.length > 0 && !isOver?.()) {
        running += 1;
        const job = /** @type {() => Promise<void>} */ (queue.shift());
        job().then(ended, fail);
      }
      if (running > 0) return;
      clearInterval(step);
      resolve();
    };
    const ended = () => {
      running -= 1;
      fill();
    };
    const fail = (/** @type {unknown} */ reason) => {
      clearInterval(step);
      reject(reason);
    };
    const step = setInterval(() => {
      level = nextLevel(level, freemem() > memoryOfOne ? idleCores() : 0, cores);
      fill();
    }, everyMs);
    fill();
  });
}

/**
 * @param {number} level
 * @param {number} idle cores
 * @param {number} cores
 */
export function nextLevel(level, idle, cores) {
  if (idle >= idleEnough) return Math.min(level + 1, cores * mostPerCore);
  return idle < isBusy ? Math.max(level - 1, cores) : level;
}

/** @returns {() => number} */
export function watchIdleCores() {
  let before = timesOf();
  return () => {
    const now = timesOf();
    const all = now.all - before.all;
    const idle = now.idle - before.idle;
    before = now;
    // A system that does not report its times leaves the level unchanged.
    return all > 0 ? (idle / all) * now.cores : isBusy;
  };
}

function timesOf() {
  const each = cpus().map(({ times }) => times);
  const sum = (/** @type {number[]} */ numbers) => numbers.reduce((total, one) => total + one, 0);
  return {
    cores: each.length,
    idle: sum(each.map(({ idle }) => idle)),
    all: sum(each.flatMap((times) => Object.values(times))),
  };
}
