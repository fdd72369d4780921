/** The part of nunjucks that the tests use. */
declare module "nunjucks" {
  interface Environment {
    addFilter(name: string, filter: (given: string) => unknown): void;
    renderString(source: string, vars: object): string;
  }
  const nunjucks: { configure(options: object): Environment };
  export default nunjucks;
}
