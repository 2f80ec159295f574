import { curlCommand } from "./curl.ts";
import type {
  Body,
  Example,
  Media,
  Node,
  OpenApi,
  OpenApiOperation,
  OpenApiParameter,
  Response,
  Schema,
} from "./openapi-types.ts";

/** Part of a type description; `schema` is the schema that it links to. */
export type TypePart = { text: string; schema?: string };
export type Field = { name: string; type: TypePart[]; required: boolean; text: string };
export type Content = { media: string; type: TypePart[]; fields: Field[]; example?: string };
export type Reply = { status: string; text: string; headers: Field[]; content: Content[] };
export type Operation = {
  id: string;
  method: string;
  path: string;
  title: string;
  text: string;
  /** Required credential; empty if none is needed. */
  needs: string;
  parameters: (Field & { location: string })[];
  request: Content[];
  replies: Reply[];
  curl: string;
};
type Group = { name: string; text: string; operations: Operation[] };
export type NamedSchema = { name: string; text: string; type: TypePart[]; fields: Field[] };
export type Reference = {
  title: string;
  version: string;
  text: string;
  groups: Group[];
  schemas: NamedSchema[];
};

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** Converts an OpenAPI document to the data of the reference page: flat lists of fields, and a curl command each. */
export function buildReference(document: OpenApi): Reference {
  const resolve = <T extends object>(node: Node<T>): T => {
    if (!("$ref" in node) || !node.$ref?.startsWith("#/")) return node as T;
    const steps = node.$ref.slice(2).split("/");
    let target: unknown = document;
    for (const step of steps) target = (target as Record<string, unknown>)[step.replaceAll("~1", "/")];
    return resolve(target as Node<T>);
  };
  const reader = new Reader(resolve);

  const groups: Group[] = document.tags.map(({ name, description }) => ({
    name,
    text: description,
    operations: [],
  }));
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
      const base = item.servers?.[0]?.url ?? document.servers[0]?.url ?? "/";
      const full = base === "/" ? path : base + path;
      const group = groups.find(({ name }) => name === operation.tags[0]);
      const security = operation.security ?? document.security;
      group?.operations.push(reader.operation(method, full, operation, parameters, security));
    }
  }
  const schemas = Object.entries(document.components.schemas)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => reader.named(name, schema));
  const { title, version, description } = document.info;
  return { title, version, text: description, groups, schemas };
}

class Reader {
  private readonly resolve: <T extends object>(node: Node<T>) => T;

  constructor(resolve: <T extends object>(node: Node<T>) => T) {
    this.resolve = resolve;
  }

  operation(
    method: string,
    path: string,
    operation: OpenApiOperation,
    parameters: OpenApiParameter[],
    security: Record<string, unknown>[],
  ): Operation {
    const body = operation.requestBody && this.resolve<Body>(operation.requestBody);
    const request = this.content(body?.content ?? {});
    return {
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      title: operation.summary,
      text: operation.description ?? "",
      needs: requiredCredential(security),
      parameters: parameters.map((parameter) => ({
        ...this.field(parameter.name, parameter.schema, parameter.required ?? false, parameter.description),
        location: parameter.in,
      })),
      request,
      replies: Object.entries(operation.responses).map(([status, node]) => this.reply(status, node)),
      curl: curlCommand(method, path, parameters, security, this.firstExample(body?.content ?? {})),
    };
  }

  named(name: string, schema: Schema): NamedSchema {
    return { name, text: schema.description ?? "", type: this.type(schema), fields: this.fields(schema) };
  }

  private reply(status: string, node: Node<Response>): Reply {
    const { description, headers = {}, content = {} } = this.resolve(node);
    return {
      status,
      text: description,
      headers: Object.entries(headers).map(([name, header]) => {
        const { schema, required, description: text } = this.resolve(header);
        return this.field(name, schema, required ?? false, text);
      }),
      content: this.content(content),
    };
  }

  private content(byMediaType: Record<string, Media>): Content[] {
    return Object.entries(byMediaType).map(([media, { schema, ...examples }]) => {
      const value = this.exampleValue(examples);
      const described = {
        media,
        type: this.type(schema),
        fields: "$ref" in schema ? [] : this.fields(schema),
      };
      if (value === undefined) return described;
      return { ...described, example: typeof value === "string" ? value : JSON.stringify(value, null, 2) };
    });
  }

  private firstExample(content: Record<string, Media>): { media: string; value: unknown } | undefined {
    const [first] = Object.entries(content);
    return first && { media: first[0], value: this.exampleValue(first[1]) };
  }

  private exampleValue({ example, examples }: Pick<Media, "example" | "examples">): unknown {
    if (example !== undefined) return example;
    const [first] = Object.values(examples ?? {});
    return first && this.resolve<Example>(first).value;
  }

  /** Lists the fields of an object; a field of a nested object gets its path as its name. */
  private fields(schema: Schema, parent = ""): Field[] {
    if (schema.allOf) return schema.allOf.flatMap((part) => (part.$ref ? [] : this.fields(part, parent)));
    const inner = schema.items ?? schema.oneOf?.find((one) => one.properties);
    if (inner && !schema.properties) {
      return inner.$ref ? [] : this.fields(inner, schema.items ? `${parent.replace(/\.$/, "")}[].` : parent);
    }
    return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
      this.field(parent + name, property, schema.required?.includes(name) ?? false),
      ...(property.$ref ? [] : this.fields(property, `${parent}${name}.`)),
    ]);
  }

  private field(name: string, schema: Schema, required: boolean, text?: string): Field {
    const description = text ?? schema.description ?? this.resolve<Schema>(schema).description ?? "";
    return { name, type: this.type(schema), required, text: description };
  }

  private type(schema: Schema): TypePart[] {
    if (schema.$ref) {
      const name = schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
      return [{ text: name, schema: name }];
    }
    const choice = schema.oneOf ?? schema.anyOf;
    if (choice)
      return join(
        choice.map((one) => this.type(one)),
        " or ",
      );
    if (schema.allOf)
      return join(
        schema.allOf.map((one) => this.type(one)),
        " with ",
      );
    if (schema.const !== undefined) return [{ text: JSON.stringify(schema.const) }];
    if (schema.items) return [{ text: "list of " }, ...this.type(schema.items), ...limits(schema)];
    const kinds = [schema.type ?? "object"].flat().join(" or ");
    const text = schema.enum ? schema.enum.map((value) => JSON.stringify(value)).join(" | ") : kinds;
    return [{ text }, ...limits(schema)];
  }
}

function join(parts: TypePart[][], separator: string): TypePart[] {
  return parts.flatMap((part, index) => (index > 0 ? [{ text: separator }, ...part] : part));
}

/** Describes the format and the limits of a value, such as `, date, at most 64 characters`. */
function limits(schema: Schema): TypePart[] {
  const parts: string[] = [];
  const range = (min: number | undefined, max: number | undefined, unit: string) => {
    if (min !== undefined && max !== undefined) parts.push(`${min} to ${max}${unit}`);
    else if (max !== undefined) parts.push(`at most ${max}${unit}`);
    else if (min !== undefined) parts.push(`at least ${min}${unit}`);
  };
  if (schema.format) parts.push(schema.format);
  range(schema.minLength, schema.maxLength, " characters");
  range(schema.minItems, schema.maxItems, " items");
  range(schema.minimum, schema.maximum, "");
  if (schema.exclusiveMinimum !== undefined) parts.push(`above ${schema.exclusiveMinimum}`);
  if (schema.exclusiveMaximum !== undefined) parts.push(`below ${schema.exclusiveMaximum}`);
  if (schema.pattern) parts.push(schema.pattern);
  if (schema.default !== undefined) parts.push(`default ${schema.default}`);
  return parts.length > 0 ? [{ text: `, ${parts.join(", ")}` }] : [];
}

const CREDENTIAL_NAMES: Record<string, string> = {
  session: "an access token",
  refresh: "the refresh cookie",
  journal: "the journal cookie",
  applicationKey: "the application key",
  emailCorrectionToken: "the token of the receipt",
};

function requiredCredential(security: Record<string, unknown>[]): string {
  const names = security.map((one) => Object.keys(one)[0]);
  return names.map((name) => (name ? CREDENTIAL_NAMES[name] : "nothing")).join(" or ");
}
