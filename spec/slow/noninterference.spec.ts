import fc from 'fast-check'
import { knex as makeKnex } from 'knex'
import { publicationFilters } from '../../lib/query/query'
import { type Chance, chanceFrom, happens, pick } from '../../lab/requests/chance'
import { spoil } from '../../lab/requests/chaos'
import { printRequest, type Request } from '../../lab/requests/request'
import { type KnownType, vocabularyOf } from '../../lab/requests/vocabulary'
import { type Asking, randomAsking } from '../support/arbitrary-requests'
import { randomRules } from '../support/arbitrary-rules'
import { anyText } from '../support/arbitrary-texts'
import { nastyText } from '../support/arbitrary-worlds'
import { eachDatabase } from '../support/databases'
import { changesOfHidden } from '../support/hidden-rows'
import { type Definition, plainText, store, type Store } from '../support/oracle-content'
import { firstSeed, runs, timeFor } from '../support/property-runs'
import { pathOf, serveContent, type Served, servings, worldOf } from '../meaning/world'

jest.setTimeout(timeFor(80, 60_000))

const worldsPerDatabase = Number(process.env['PROPERTY_WORLDS'] ?? 2)

/** What the grammar of requests does not have. */
function more(chance: Chance, request: Request): string {
  const byCursor = request.page === undefined && happens(chance, 25)
  const parts = [
    byCursor ? `&pagination[${pick(chance, ['after', 'before'])}]=&pagination[pageSize]=1` : '',
    happens(chance, 15) ? `&_q=${encodeURIComponent(nastyText(chance))}` : '',
    happens(chance, 15) ? `&publicationFilter=${pick(chance, publicationFilters)}` : '',
  ]
  return parts.join('')
}

interface Told {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Ways to ask that tell no content, or nothing but that there is some. */
const otherMethods = ['HEAD', 'OPTIONS', 'POST', 'DELETE']

/** Asks by one value of an attribute for an entry that may be there, may be hidden, or may be nowhere. */
function byAttribute(chance: Chance, { rows }: Store, { uid, attributes }: Definition): string {
  const unique = Object.keys(attributes).filter((name) => attributes[name]?.type === 'uid')
  const name = pick(
    chance,
    unique.length > 0 && happens(chance, 70) ? unique : [...Object.keys(attributes), 'nope'],
  )
  const values = rows
    .filter(({ type }) => type.uid === uid)
    .map(({ given }) => plainText(given[name] ?? null))
  const value = values.length === 0 || happens(chance, 20) ? nastyText(chance) : pick(chance, values)
  return `/by/${name}/${encodeURIComponent(value)}`
}

/** Pages of what is linked, and of what a file is linked from. */
function linkedPages(chance: Chance, { links }: KnownType): string {
  const many = links.filter(({ many, kind, name }) => many && kind === 'relation' && name !== 'localizations')
  const files = links.filter(({ kind }) => kind === 'media')
  if (files.length > 0 && (many.length === 0 || happens(chance, 30))) {
    const { name } = pick(chance, files)
    const more = pick(chance, ['=true', '[count]=true', '[populate]=*'])
    return `populate[${name}][populate][related]${more}`
  }
  if (many.length === 0) return 'populate=*'
  const { name, to } = pick(chance, many)
  const sorts = ['', ...(to?.scalars ?? []).map((scalar) => `&populate[${name}][sort]=${scalar.name}`)]
  const counts = happens(chance, 50) ? `&populate[${name}][pagination][withCount]=true` : ''
  return `populate[${name}][pagination][pageSize]=1${pick(chance, sorts)}${counts}&populate[${name}][pagination][page]=`
}

/** What a page is answered with that asks for the next one, by the side on which that lies. */
const cursorNames: Readonly<Record<string, string>> = { after: 'endCursor', before: 'startCursor' }

/** The page behind one by cursors. */
function nextPage(url: string, { status, text }: Told): string | null {
  const [, side = ''] = /&pagination\[(after|before)\]=/.exec(url) ?? []
  const name = cursorNames[side]
  if (status !== 200 || name === undefined) return null
  const { meta } = JSON.parse(text) as {
    readonly meta: { readonly pagination?: Readonly<Record<string, unknown>> }
  }
  const cursor = meta.pagination?.[name]
  const goesOn = meta.pagination?.[side === 'after' ? 'hasNextPage' : 'hasPreviousPage'] === true
  return goesOn && typeof cursor === 'string'
    ? url.replace(/(&pagination\[(?:after|before)\]=)[^&]*/, `$1${encodeURIComponent(cursor)}`)
    : null
}

eachDatabase((database) => {
  const seeds = Array.from({ length: worldsPerDatabase }, (_, index) => firstSeed + index)

  describe.each(seeds)('with the model, the content and the rules of seed %i', (seedNumber) => {
    const world = worldOf(seedNumber)
    const stored = store(world.definitions, world.content)
    const { permissions, role, grants } = randomRules(chanceFrom(seedNumber), stored)
    const names = [...grants.keys()]
    // Where more of them are to see no difference, less may differ.
    const asker = names[seedNumber % names.length] ?? ''
    const own = grants.get(asker)
    if (own === undefined) throw new Error('nobody asks')
    const hidden = changesOfHidden(chanceFrom(seedNumber), stored, [own])
    const served: Record<'one' | 'other', Served | undefined> = { one: undefined, other: undefined }

    beforeAll(async () => {
      for (const side of ['one', 'other'] as const) {
        served[side] = await serveContent(database, world.definitions, world.content, { permissions, role })
      }
      const knex = makeKnex({ ...served.other?.database, useNullAsDefault: true })
      await hidden.make(knex).finally(() => knex.destroy())
    }, 60_000)
    afterAll(async () => {
      for (const one of Object.values(served)) await one?.close()
    })

    /** All that whoever asks can tell of one of the databases. */
    async function told(side: 'one' | 'other', url: string, method: string): Promise<Told> {
      const answered = await served[side]?.host.ask(url, asker, method)
      if (answered === undefined) throw new Error('nobody answers')
      const { status, headers, text } = answered
      const withoutId = text.replace(/"id":"[0-9a-f-]{36}"/g, '')
      return { status, headers, text: withoutId }
    }

    async function toldAlike(url: string, method = 'GET'): Promise<Told> {
      const [one, other] = [await told('one', url, method), await told('other', url, method)]
      expect({ url, method, told: other }).toEqual({ url, method, told: one })
      return one
    }

    it('no response depends on rows that a rule hides', async () => {
      const asking = randomAsking(stored, { [asker]: own }, { beyondStrapi: true })
      const property = fc.asyncProperty(
        asking,
        fc.constantFrom(...Object.keys(servings)),
        fc.nat(),
        async ({ target, request }: Asking, path, seed) => {
          const url = `${path}${pathOf(world.definitions, target)}?${printRequest(request)}${more(chanceFrom(seed), request)}`
          for (let next: string | null = url; next !== null;) next = nextPage(next, await toldAlike(next))
        },
      )
      await fc.assert(property, { seed: seedNumber, numRuns: runs(100), endOnFailure: true })
    })

    it('neither do pages of relations, paths by attributes, and other methods', async () => {
      const types = vocabularyOf(stored.types.values())
      const asking = fc.tuple(randomAsking(stored, { [asker]: own }), fc.nat())
      const property = fc.asyncProperty(asking, async ([{ target, request }, seed]) => {
        const chance = chanceFrom(seed)
        const path = `/flat${pathOf(world.definitions, target)}`
        const [type, known] = [stored.types.get(target.uid), types.get(target.uid)]
        if (type === undefined || known === undefined) throw new Error('no type is asked')
        if (happens(chance, 30))
          await toldAlike(
            `${path}${byAttribute(chance, stored, type)}`,
            pick(chance, ['GET', ...otherMethods]),
          )
        else if (happens(chance, 30))
          await toldAlike(`${path}?${printRequest(request)}`, pick(chance, otherMethods))
        else {
          const pages = `${path}?${linkedPages(chance, known)}`
          const isPaged = pages.endsWith('[page]=')
          for (const page of isPaged ? ['1', '2', '3'] : ['']) await toldAlike(pages + page)
        }
      })
      await fc.assert(property, { seed: seedNumber, numRuns: runs(120), endOnFailure: true })
    })

    it('neither do invalid queries', async () => {
      const types = vocabularyOf(stored.types.values())
      const asking = fc.tuple(randomAsking(stored, { [asker]: own }), fc.nat(), fc.boolean())
      const property = fc.asyncProperty(asking, async ([{ target, request }, seed, spoils]) => {
        const chance = chanceFrom(seed)
        const text = spoils
          ? spoil(chance, printRequest(request))
          : anyText(chance, types, types.get(target.uid) as KnownType)
        await toldAlike(`/flat${pathOf(world.definitions, target)}?${text}`)
      })
      await fc.assert(property, { seed: seedNumber, numRuns: runs(60), endOnFailure: true })
    })
  })

  it('the compared databases have different rows', () => {
    const counts = seeds.map((seedNumber) => {
      const world = worldOf(seedNumber)
      const stored = store(world.definitions, world.content)
      const { grants } = randomRules(chanceFrom(seedNumber), stored)
      const own = [...grants.values()][seedNumber % grants.size]
      return own === undefined ? 0 : changesOfHidden(chanceFrom(seedNumber), stored, [own]).changes.size
    })
    expect(Math.max(...counts)).toBeGreaterThan(3)
  })
})
