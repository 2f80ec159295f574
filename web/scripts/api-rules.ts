// Lint rules for openapi.yaml, loaded by redocly.yaml: everything has a description, every body and value an example.

type WithExample = { example?: unknown; examples?: Record<string, unknown> };
type Schema = {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  examples?: unknown[];
};
type Header = WithExample & { description?: string; schema?: Schema };
type Parameter = Header & { name?: string };
type Located<T> = { node: T; location: unknown };
type Context = {
  report: (problem: { message: string; location?: unknown }) => void;
  resolve: <T>(node: T) => Located<T>;
  key: string | number;
};

/** Returns true if the schema, or the schema it refers to, has a description. */
function isDescribed(schema: Schema, { resolve }: Context): boolean {
  if (schema.description) return true;
  return schema.$ref !== undefined && Boolean(resolve(schema).node?.description);
}

const everything = () => ({
  Schema(schema: Schema, context: Context) {
    // A forbidden property is listed with an empty schema.
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

/** Binary media types, which need no example. */
const BINARY_TYPES = new Set([
  "application/octet-stream",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/zip",
  "image/jpeg",
  "image/png",
]);

function hasOwnExample({ example, examples }: WithExample): boolean {
  return example !== undefined || Object.keys(examples ?? {}).length > 0;
}

/** Returns true if the header or parameter, its schema, or the schema it refers to has an example. */
function hasExample(header: Header, { resolve }: Context): boolean {
  const { schema = {} } = header;
  const schemas = schema.$ref === undefined ? [schema] : [schema, resolve(schema).node];
  return hasOwnExample(header) || schemas.some((one) => (one?.examples ?? []).length > 0);
}

const examples = () => ({
  MediaType(media: WithExample, context: Context) {
    if (!hasOwnExample(media) && !BINARY_TYPES.has(String(context.key))) {
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
