/** Rules of our own for openapi.yaml, loaded by redocly.yaml: nothing without words, nothing without an example. */

type Shown = { example?: unknown; examples?: Record<string, unknown> };
type Schema = {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  examples?: unknown[];
};
type Header = Shown & { description?: string; schema?: Schema };
type Parameter = Header & { name?: string };
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

/** Bytes that nobody reads: an example would be noise. */
const BINARY = new Set([
  "application/octet-stream",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
]);

function isShown({ example, examples }: Shown): boolean {
  return example !== undefined || Object.keys(examples ?? {}).length > 0;
}

/** Whether there is an example on it, on its schema, or on what that refers to. */
function hasExample(it: Header, { resolve }: Context): boolean {
  const { schema = {} } = it;
  const schemas = schema.$ref === undefined ? [schema] : [schema, resolve(schema).node];
  return isShown(it) || schemas.some((one) => (one?.examples ?? []).length > 0);
}

const examples = () => ({
  MediaType(media: Shown, context: Context) {
    if (!isShown(media) && !BINARY.has(String(context.key))) {
      context.report({ message: `The ${context.key} has no example.` });
    }
  },
  Parameter(parameter: Parameter, context: Context) {
    if (!hasExample(parameter, context)) {
      context.report({ message: `The parameter ${parameter.name} has no example.` });
    }
  },
  Header(header: Header, context: Context) {
    if (!hasExample(header, context)) {
      context.report({ message: `The header ${context.key} has no example.` });
    }
  },
});

export default () => ({
  id: "described",
  rules: { oas3: { everything, examples } },
});
