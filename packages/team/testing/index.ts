/** For the tests of other packages: `@devflow/team/testing`. */
export { people, yearOfRecords } from "./year-of-records.ts";
