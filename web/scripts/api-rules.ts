/** Rules of our own for openapi.yaml, loaded by redocly.yaml: nothing without words, nothing without an example. */

type Schema = { $ref?: string; description?: string; properties?: Record<string, Schema> };
type Media = { example?: unknown; examples?: Record<string, unknown> };
type Parameter = { $ref?: string; name?: string; description?: string; schema?: Schema };
type Located<T> = { node: T; location: unknown };
type Context = {
  report: (problem: { message: string; location?: unknown }) => void;
  resolve: <T>(node: T) => Located<T>;
  key: string | number;
};

/** Whether the schema, or what it refers to, is described. */
function isDescribed(schema: Schema, { resolve }: Context): boolean {
  if (schema.description) return true;
  return schema.$ref !== undefined && Boolean(resolve(schema).node?.description);
}

const everything = () => ({
  Schema(schema: Schema, context: Context) {
    // What must not be there is named without a type.
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (Object.keys(property).length > 0 && !isDescribed(property, context)) {
        context.report({ message: `The property ${name} has no description.` });
      }
    }
  },
  Parameter(parameter: Parameter, context: Context) {
    if (!parameter.description && !isDescribed(parameter.schema ?? {}, context)) {
      context.report({ message: `The parameter ${parameter.name} has no description.` });
    }
  },
  NamedSchemas: {
    Schema(schema: Schema, context: Context) {
      if (!schema.description) context.report({ message: `The schema ${context.key} has no description.` });
    },
  },
});

const examples = () => ({
  MediaType(media: Media, context: Context) {
    const shown = media.example !== undefined || Object.keys(media.examples ?? {}).length > 0;
    if (!shown && /^(application\/json|multipart\/form-data)$/.test(String(context.key))) {
      context.report({ message: `The ${context.key} has no example.` });
    }
  },
});

export default () => ({
  id: "described",
  rules: { oas3: { everything, examples } },
});
