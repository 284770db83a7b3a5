import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ConfigError, type Fault } from '../../lib/errors'
import {
  type DefinitionSource,
  type Definition,
  readSchema,
  type LinkField,
  type Schema,
} from '../../lib/schema'

type Attributes = Readonly<Record<string, object>>

/** A content type named after its singular; `more` says what else it is. */
export function type(singularName: string, attributes: Attributes, more: object = {}): Definition {
  return {
    kind: 'collectionType',
    collectionName: `${singularName}s`,
    info: { singularName, pluralName: `${singularName}s` },
    attributes,
    ...more,
  } as Definition
}

export function component(uid: string, attributes: Attributes): Definition {
  return { uid, collectionName: `components_${uid.replace('.', '_')}s`, attributes } as Definition
}

export const relation = (kind: string, target?: string, more: object = {}): object => ({
  type: 'relation',
  relation: kind,
  ...(target === undefined ? {} : { target }),
  ...more,
})

const folders: string[] = []

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** Writes a folder of files, which is gone after the specs: text as it is, anything else as JSON. */
export function folderOf(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'definitions-'))
  folders.push(folder)
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  }
  return folder
}

export function faultsOf(source: DefinitionSource): readonly Fault[] {
  try {
    readSchema(source)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

export function linkOf(schema: Schema, uid: string, name: string): LinkField {
  const model = [...schema.models.values()].find((one) => one.uid === uid)
  const field = model?.links.get(name)
  if (field === undefined) throw new Error(`${uid} has no link ${name}`)
  return field
}
