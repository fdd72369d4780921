export { type LaneChange, type OutsideChange, outsideWriteSet } from "./outside-write-set.ts";
export { defaultMostLanes, nextToStart } from "./schedule.ts";
export { dependentsOf, type LaneTask, taskGraphFaults, tasksIn } from "./task-graph.ts";
export { serialise, type WriteSetConflict, writeSetConflicts } from "./write-set-conflicts.ts";
