/** Entry point of template: Nunjucks templates, rendered without executing anything. */
export { TemplateFault } from "./lex.ts";
export { renderTemplate, type Vars } from "./render-template.ts";
