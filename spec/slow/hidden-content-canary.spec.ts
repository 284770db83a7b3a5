import fc from 'fast-check'
import { randomAsking } from '../support/arbitrary-requests'
import type { RandomWorld } from '../support/arbitrary-worlds'
import { eachDatabase } from '../support/databases'
import type { Grants } from '../support/oracle'
import {
  type Content,
  type Definition,
  isComponent,
  type Json,
  type JsonObject,
  plainText,
  store,
} from '../support/oracle-content'
import { printRequest, type Request } from '../../lab/requests/request'
import { firstSeed, runs, timeFor } from '../support/property-runs'
import { pathOf, serveContent, type Served, worldOf } from '../meaning/world'

jest.setTimeout(timeFor(150, 60_000))

// One role, three databases: what the role may not see is there as it was made, says canary everywhere, or is not there.
// To the role they must be one and the same.

const canary = 'canary-8d1f'
const hiddenType = 'api::fig.fig'

/** An entry without drafts leads to the draft as well as to the published row: there a draft could be told of. */
function leadsToDrafts({ definitions: types }: RandomWorld): boolean {
  const shown = types.filter(({ uid }) => uid !== hiddenType && uid.startsWith('api::'))
  const [drafted, others] = [true, false].map((wanted) =>
    shown.filter(({ options }) => options.draftAndPublish === wanted),
  )
  const relations = (others ?? []).flatMap(({ attributes }) => Object.values(attributes))
  return relations.some(
    ({ target, useJoinTable }) => useJoinTable !== false && drafted?.some(({ uid }) => uid === target),
  )
}

const uniqueNames = (type: Definition): string[] =>
  Object.entries(type.attributes).flatMap(([name, one]) => (one.type === 'uid' ? [name] : []))

const isCollection = (type: Definition): boolean => !isComponent(type) && type.kind === 'collectionType'

/** Entries with drafts that can be found by a value of their own. */
const hasUnique = ({ definitions: types }: RandomWorld): boolean =>
  types.some(
    (type) =>
      isCollection(type) &&
      type.uid !== hiddenType &&
      type.options.draftAndPublish &&
      uniqueNames(type).length > 0,
  )

function firstSuitable(seed: number): RandomWorld {
  const world = worldOf(seed)
  return leadsToDrafts(world) && hasUnique(world) ? world : firstSuitable(seed + 1)
}

const { definitions, content } = firstSuitable(firstSeed)

const typeAt = (uid: string): Definition | undefined => definitions.find((type) => type.uid === uid)
const entriesOf = (uid: string): readonly JsonObject[] =>
  typeAt(uid) === undefined ? [] : (content[uid] as readonly JsonObject[])

const isDraft = ({ $status }: JsonObject): boolean => $status === 'draft'
const localesOf = ({ $locales = {} }: JsonObject): JsonObject[] =>
  Object.values($locales as Record<string, JsonObject>)

/** An entry of the type that the role may not find, or one that is a draft in every locale. */
const isHidden = (uid: string, entry: JsonObject): boolean =>
  uid === hiddenType || [entry, ...localesOf(entry)].every(isDraft)

const uids = definitions.filter((type) => !isComponent(type)).map(({ uid }) => uid)
const hiddenRefs = new Map(
  uids.map((uid) => [
    uid,
    entriesOf(uid)
      .filter((entry) => isHidden(uid, entry))
      .map(({ $ref }) => $ref),
  ]),
)

const parts = ['component', 'dynamiczone']

/** Ids of components count up over all entries, so the hidden ones have none. */
function withoutParts(uid: string, entry: JsonObject): JsonObject {
  const isPart = (name: string): boolean => parts.includes(typeAt(uid)?.attributes[name]?.type ?? '')
  const kept = Object.entries(entry).map(([key, value]): [string, Json] => {
    const inner = key === '$draft' || key === '$locales'
    return [
      key,
      inner ? nested(key, value as JsonObject, (one) => withoutParts(uid, one)) : isPart(key) ? null : value,
    ]
  })
  return Object.fromEntries(kept)
}

function nested(key: string, value: JsonObject, change: (one: JsonObject) => JsonObject): JsonObject {
  if (key === '$draft') return change(value)
  return Object.fromEntries(Object.entries(value).map(([code, one]) => [code, change(one as JsonObject)]))
}

/** Hidden entries last, so that no other row's id depends on them; and the hidden type behind all others. */
function arranged(): Record<string, JsonObject[]> {
  const order = [...uids.filter((uid) => uid !== hiddenType), hiddenType]
  return Object.fromEntries(
    order.map((uid) => {
      const entries = entriesOf(uid)
      const hidden = entries.filter((entry) => isHidden(uid, entry)).map((entry) => withoutParts(uid, entry))
      return [uid, [...entries.filter((entry) => !isHidden(uid, entry)), ...hidden]]
    }),
  )
}

const wholly = (types: Record<string, JsonObject[]>): Content => ({
  $locales: content['$locales'] ?? [],
  'plugin::upload.file': content['plugin::upload.file'] ?? [],
  ...types,
})

/** Whether a text or number of this attribute is one that may be changed at will. */
function changed(attributes: Definition['attributes'], name: string, value: Json): Json {
  const type = attributes[name]?.type ?? ''
  if (['string', 'text', 'richtext', 'email', 'uid', 'enumeration', 'password'].includes(type)) return canary
  return type === 'integer' ? 77_777 : value
}

/** `everywhere`: each value says canary; otherwise what is private, and what is said in drafts. */
function sayCanary(type: Definition, entry: JsonObject, everywhere: boolean): JsonObject {
  const isPrivate = (name: string): boolean => ['secret', 'word'].includes(name)
  const said = Object.entries(entry).map(([key, value]): [string, Json] => {
    if (key === '$draft' || key === '$locales') {
      const all = everywhere || key === '$draft'
      return [key, nested(key, value as JsonObject, (one) => sayCanary(type, one, all || isDraft(one)))]
    }
    return [key, everywhere || isPrivate(key) ? changed(type.attributes, key, value) : value]
  })
  return Object.fromEntries(said)
}

function sayingCanary(types: Record<string, JsonObject[]>): Record<string, JsonObject[]> {
  const say = (uid: string, entry: JsonObject): JsonObject => {
    const type = typeAt(uid)
    if (type === undefined) return entry
    const said = sayCanary(type, entry, isHidden(uid, entry))
    if (!type.options.draftAndPublish || isDraft(entry)) return said
    const { updatedAt = null } = said
    const $draft = { updatedAt, ...(said['$draft'] as JsonObject | undefined), title: canary, rank: 77_777 }
    return { ...said, $draft }
  }
  return Object.fromEntries(
    Object.entries(types).map(([uid, entries]) => [uid, entries.map((one) => say(uid, one))]),
  )
}

/** Without the hidden entries, and without what leads to them. */
function withoutHidden(types: Record<string, JsonObject[]>): Record<string, JsonObject[]> {
  const isGone = (uid: string, ref: Json | undefined): boolean => hiddenRefs.get(uid)?.includes(ref) ?? false
  const leadsAway = (uid: string | undefined, value: Json): boolean => {
    if (uid !== undefined) return isGone(uid, value)
    const [pair] = Object.entries(value as JsonObject)
    return pair !== undefined && isGone(...pair)
  }
  const prune = (type: Definition, entry: JsonObject): JsonObject => {
    const kept = Object.entries(entry).map(([key, value]): [string, Json] => {
      if (key === '$draft' || key === '$locales')
        return [key, nested(key, value as JsonObject, (one) => prune(type, one))]
      const { type: kind = '', target, component } = type.attributes[key] ?? {}
      const change = (one: Json): Json => {
        if (kind === 'relation') return one !== null && leadsAway(target, one) ? null : one
        const part = parts.includes(kind) && one !== null ? (one as JsonObject) : null
        const of = part === null ? undefined : typeAt(component ?? plainText(part['__component']))
        return part === null || of === undefined ? one : prune(of, part)
      }
      if (!Array.isArray(value)) return [key, change(value)]
      return [key, (value as readonly Json[]).map(change).filter((one) => one !== null)]
    })
    return Object.fromEntries(kept)
  }
  const left = Object.entries(types).map(([uid, entries]) => {
    const type = typeAt(uid)
    const shown = entries.filter((entry) => !isGone(uid, entry['$ref']))
    return [uid, type === undefined ? shown : shown.map((entry) => prune(type, entry))] as const
  })
  return Object.fromEntries(left)
}

const plain = arranged()
const contents = [plain, sayingCanary(plain), withoutHidden(plain)].map(wholly)
const shownTypes = uids.filter((uid) => uid !== hiddenType)
const roles: Readonly<Record<string, Grants>> = {
  limited: { find: shownTypes, drafts: [] },
  all: { find: uids, drafts: uids },
}

eachDatabase((database) => {
  const served: Served[] = []

  beforeAll(async () => {
    for (const one of contents)
      served.push(await serveContent(database, definitions, one, { permissions: roles }))
  }, 120_000)
  afterAll(() => Promise.all(served.map((one) => one.close())))

  const askAll = (url: string, role: string): Promise<{ status: number; text: string }[]> =>
    Promise.all(served.map(({ host }) => host.ask(url, role)))

  const askSame = async (url: string): Promise<string> => {
    const [first, ...others] = await askAll(url, 'limited')
    for (const other of others) expect([url, other]).toEqual([url, first])
    if (!url.includes('canary')) expect([url, first?.text.includes(canary)]).toEqual([url, false])
    return first?.status === 200 ? first.text : ''
  }

  /** What a cursor holds is an answer as well, and goes on to the same page wherever it was told. */
  async function askPages(url: string): Promise<number> {
    let cursor: string | undefined = ''
    let pages = 0
    for (; cursor !== undefined && pages < 3; pages += 1) {
      const text = await askSame(`${url}&pagination[pageSize]=2&pagination[after]=${cursor}`)
      cursor = /"hasNextPage":true.*"endCursor":"([\w-]+)"/.exec(text)?.[1]
      if (cursor !== undefined)
        expect(Buffer.from(cursor, 'base64url').toString()).not.toMatch(/canary|77777/)
    }
    return pages
  }

  const [, withCanary] = contents
  const asking = randomAsking(store(definitions, withCanary ?? {}), {
    limited: roles['limited'] ?? { find: [], drafts: [] },
  })
  const searches = fc.option(fc.constantFrom(canary, 'canary', 'a', '77777'), { freq: 4 })

  it('a role gets the same responses whatever it may not read, or without it', async () => {
    let answered = 0
    let paged = 0
    const property = fc.asyncProperty(asking, searches, async ({ target, request }, search) => {
      const query = printRequest(request) + (search === null ? '' : `&_q=${search}`)
      const url = `/flat${pathOf(definitions, target)}?${query}`
      if ((await askSame(url)) === '') return
      answered += 1
      if (url.includes('pagination') || target.documentId !== undefined) return
      if (typeAt(target.uid)?.kind === 'collectionType') paged += await askPages(url)
    })
    const numRuns = runs(process.env['SWEEP'] === 'all' ? 150 : 40)
    await fc.assert(property, { seed: firstSeed, numRuns, endOnFailure: true })
    expect(answered).toBeGreaterThan(numRuns / 3)
    expect(paged).toBeGreaterThan(numRuns / 5)
  })

  it('no filter and no sort depends on hidden content, through any relation', async () => {
    const questions = shownTypes.flatMap((uid) => {
      const paths = Object.entries(typeAt(uid)?.attributes ?? {}).flatMap(([name, { type, target }]) => {
        if (type !== 'relation' || target === undefined || !shownTypes.includes(target)) return []
        const further = Object.entries(typeAt(target)?.attributes ?? {}).filter(
          ([, one]) => one.target !== undefined,
        )
        return [[name], ...further.map(([next]) => [name, next])]
      })
      const path = `/flat${pathOf(definitions, { uid })}?locale=*&`
      return paths.flatMap((names) => {
        const inside = `filters[${names.join('][')}]`
        return [
          `${path}${inside}[title][$contains]=${canary}`,
          `${path}${inside}[rank][$ne]=77777`,
          `${path}sort=${names.join('.')}.title`,
          `${path}sort=${names.join('.')}.rank:desc`,
          ...['$some', '$none', '$every'].map(
            (which) => `${path}${inside}[${which}][title][$contains]=${canary}`,
          ),
          ...['$none', '$every'].map((which) => `${path}${inside}[${which}][rank][$ne]=77777`),
          ...[0, 1, 2].map((count) => `${path}${inside}[$count]=${String(count)}`),
          `${path}sort=${names.join('.')}.$count:desc`,
        ]
      })
    })
    expect(questions.length).toBeGreaterThan(10)
    for (const url of questions) {
      await askSame(url)
      if (url.includes('sort=')) await askPages(url)
    }
  }, 60_000)

  it('no value of a unique attribute finds hidden content', async () => {
    const stored = (entry: JsonObject, name: string): Json[] =>
      [entry, ...localesOf(entry), (entry['$draft'] ?? {}) as JsonObject].map((one) => one[name] ?? null)
    const urls = definitions.filter(isCollection).flatMap((type) =>
      uniqueNames(type).flatMap((name) => {
        const values = [canary, ...entriesOf(type.uid).flatMap((entry) => stored(entry, name))]
        const texts = values.filter((value) => typeof value === 'string')
        const list = `/flat${pathOf(definitions, { uid: type.uid })}`
        return texts
          .filter((text) => !['', '.', '..'].includes(text))
          .map((text) => `${list}/by/${name}/${encodeURIComponent(text)}`)
      }),
    )
    const found = await Promise.all(urls.map((url) => askSame(url)))
    expect(found.filter((text) => text !== '').length).toBeGreaterThan(0)
    expect(found.filter((text) => text === '').length).toBeGreaterThan(0)
  }, 60_000)

  it('a role that may read all of it gets other responses', async () => {
    const everything: Request = { style: 'indexes', dotted: false, populate: '*', locale: '*' }
    const query = printRequest(everything)
    const found = await Promise.all(
      uids.map((uid) => askAll(`/flat${pathOf(definitions, { uid })}?${query}`, 'all')),
    )
    const hidden = found[uids.indexOf(hiddenType)]?.map(({ text }) => text) ?? []
    expect(new Set(hidden).size).toBe(3)
    expect(hidden.map((text) => text.includes(canary))).toEqual([false, true, false])
  })
})
