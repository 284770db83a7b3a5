import { type Entry, isEntry } from './entry'
import { withoutTurns } from './plain-text'
import { targetsOf, type PageData, type TypeData, typeAt, type TypesByUid } from './page-data'
import type { TreeNode } from './tree'

/** The context that the type of a value is derived from. */
export interface Reading {
  readonly types: TypesByUid
  readonly pageData: PageData
  readonly open: (type: TypeData, documentId: string) => void
}

function typeBelow({ types }: Reading, type: TypeData | null, name: string, value: unknown): TypeData | null {
  const link = type?.links.find((one) => one.name === name)
  if (link === undefined) return null
  const targets = targetsOf(types, link)
  const [only] = targets
  if (targets.length === 1 && only !== undefined) return only
  return isEntry(value) && typeof value['__component'] === 'string'
    ? (types.get(value['__component']) ?? null)
    : null
}

/** For relations to several types, the value names its type. */
const typeOfOne = ({ types }: Reading, type: TypeData | null, value: unknown): TypeData | null => {
  const said = isEntry(value) ? (value['__component'] ?? value['__type']) : undefined
  return typeof said === 'string' ? (types.get(said) ?? null) : type
}

const shortest = 120

function inShort(value: unknown): string {
  const text = withoutTurns(JSON.stringify(value))
  return text.length > shortest ? `${text.slice(0, shortest)}… ${String(text.length)} characters` : text
}

const kindOf = (value: unknown): string =>
  typeof value === 'string' ? 'text' : value === null ? 'null' : typeof value

const countOf = (value: object): string => {
  const { length } = Object.keys(value)
  return Array.isArray(value) ? `[${String(length)}]` : `{${String(length)}}`
}

function nameOf(value: Entry): string {
  const named = ['title', 'name', 'headline', 'label', 'slug', '__component', 'documentId'].map(
    (key) => value[key],
  )
  const found = named.find((one) => typeof one === 'string' && one !== '')
  return typeof found === 'string' ? withoutTurns(found.slice(0, 60)) : ''
}

interface Place {
  readonly id: string
  readonly name: string
  readonly type: TypeData | null
}

function childrenOf(reading: Reading, value: object, { id, type, name }: Place): readonly TreeNode[] {
  if (Array.isArray(value))
    return value.map((one: unknown, index) =>
      answerNode(reading, one, {
        id: `${id}.${String(index)}`,
        name: String(index),
        type: typeOfOne(reading, type, one),
      }),
    )
  const isWrapped = name !== 'data' && 'data' in value && Object.keys(value).length <= 2
  return Object.entries(value).map(([key, one]: [string, unknown]) => {
    const below = isWrapped && key === 'data' ? type : typeBelow(reading, type, key, one)
    return answerNode(reading, one, { id: `${id}.${key}`, name: key, type: below })
  })
}

/** A value of a response as a collapsed node; entries with a path of their own can be opened. */
export function answerNode(reading: Reading, value: unknown, place: Place): TreeNode {
  const { id, name, type } = place
  if (typeof value !== 'object' || value === null)
    return {
      id,
      name: `${name}: ${inShort(value)}`,
      label: (
        <>
          <span class="key">{name}</span>{' '}
          <span
            class={`value ${kindOf(value)}`}
            title={typeof value === 'string' && value.length > shortest ? value.slice(0, 2000) : undefined}
          >
            {inShort(value)}
          </span>
        </>
      ),
    }
  const children = (): readonly TreeNode[] => childrenOf(reading, value, place)
  const title = isEntry(value) ? nameOf(value) : ''
  const documentId = isEntry(value) ? value['documentId'] : undefined
  const isFollowed =
    type !== null &&
    type.path !== null &&
    typeof documentId === 'string' &&
    (type.kind === 'singleType' || type.reads.includes('findOne'))
  return {
    id,
    name: `${name} ${title}`.trim() + (isFollowed ? ', Enter opens it' : ''),
    label: (
      <>
        <span class="key">{name}</span> <span class="about">{countOf(value)}</span>{' '}
        <span class="title">{title}</span>
        {isFollowed ? <span class="follow">open ↗</span> : null}
      </>
    ),
    ...(Object.keys(value).length === 0 ? {} : { children }),
    ...(isFollowed
      ? {
          follow: () => {
            reading.open(type, documentId)
          },
        }
      : {}),
  }
}

export const answerNodes = (reading: Reading, body: unknown, route: string): readonly TreeNode[] =>
  isEntry(body)
    ? Object.entries(body).map(([name, value]) =>
        answerNode(reading, value, {
          id: name,
          name,
          type: name === 'data' ? (typeAt(reading.pageData.types, route) ?? null) : null,
        }),
      )
    : [answerNode(reading, body, { id: 'body', name: 'body', type: null })]
