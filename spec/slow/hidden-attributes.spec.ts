import type { ContentRouterConfig } from '../../lib'
import { onSqlite } from '../support/databases'
import {
  fieldSurfaces,
  filterSurfaces,
  oddSurfaces,
  populateSurfaces,
  searchSurface,
  sizeSurfaces,
  sortSurfaces,
  type Surface,
} from '../support/probe'
import { type Manner, probe, type Prober, without } from '../support/prober'
import { stocked } from '../support/served'
import {
  kept,
  listingVaultTypes,
  openVaultTypes,
  vaultContent,
  vaultRoles,
  vaultSecrets,
  vaultTypes,
} from '../support/vault'
import { hiding } from '../support/hiding'

interface Secret {
  readonly of: string
  readonly names: readonly string[]
  readonly type?: string
  readonly role?: string
  readonly right?: string
}

const secrets: readonly Secret[] = [
  { of: 'a private attribute', names: ['cipher'] },
  { of: 'a password', names: ['seal'] },
  { of: 'a private number', names: ['weight'] },
  { of: 'a private moment', names: ['posted'] },
  { of: 'a private JSON', names: ['meta'] },
  { of: 'a private attribute behind a relation', names: ['writer', 'pin'] },
  { of: 'a password behind a relation', names: ['writer', 'code'] },
  { of: 'a private attribute behind two relations', names: ['copies', 'writer', 'pin'] },
  { of: 'a private attribute of a component', names: ['seo', 'tracking'] },
  { of: 'a private attribute of a component in a component', names: ['seo', 'extra', 'price'] },
  { of: 'a private attribute of repeated components', names: ['extras', 'price'] },
  { of: 'a private component', names: ['terms', 'label'] },
  { of: 'a private relation', names: ['patrons', 'name'], right: 'mmmm-patron' },
  { of: 'a private file', names: ['contract', 'name'], right: 'mmmm-deed' },
  { of: 'a private column of a file', names: ['stamp', 'folderPath'] },
  { of: 'who made an entry', names: ['createdBy', 'email'] },
  { of: 'the password of who changed an entry', names: ['updatedBy', 'password'] },
  { of: 'who made what a relation leads to', names: ['writer', 'createdBy', 'resetPasswordToken'] },
  { of: 'who made a file', names: ['stamp', 'createdBy', 'password'] },
  { of: 'the key of who made an entry', names: ['created_by_id'] },
  { of: "a user's password", names: ['writer', 'account', 'password'], role: 'clerk' },
  { of: "a user's reset token", names: ['writer', 'account', 'resetPasswordToken'], role: 'clerk' },
  { of: "a user's confirmation token", names: ['writer', 'account', 'confirmationToken'], role: 'clerk' },
  { of: "a user's e-mail, to who may not read users", names: ['writer', 'account', 'email'] },
  { of: 'an attribute of a type without permission', names: ['safe', 'code'] },
  { of: 'the same behind a relation', names: ['writer', 'safes', 'code'] },
  { of: 'the same in a component', names: ['seo', 'extra', 'by', 'code'] },
  { of: 'the same by its id', names: ['safe', 'id'] },
  { of: 'a private attribute of a single type', names: ['source'], type: 'motto' },
]

const surfaces: readonly Surface[] = [
  ...filterSurfaces,
  ...sizeSurfaces,
  ...sortSurfaces,
  ...fieldSurfaces,
  ...populateSurfaces,
  ...oddSurfaces,
  searchSurface,
]

/** The older form and a question for the headers alone differ in what is written, not in what is found. */
const mannersOf = ({ name }: Surface): readonly Omit<Manner, 'role'>[] =>
  /\$startsWith|fields|count|nested|\$or/.test(name) ? [{}, { format: 'v4' }, { method: 'HEAD' }] : [{}]

/** The right one and one that is as long and too high. */
function guessesOf({ names, right = kept }: Secret): readonly [string, string] {
  const last = names.at(-1)
  if (last === 'weight') return ['5555', '7777']
  if (last === 'posted') return ['2024-05-05', '2024-09-09']
  if (last === 'id' || last === 'created_by_id') return ['1', '9']
  if (last === 'meta') return [`{"a":"${kept}"}`, '{"a":"zzzz-kept"}']
  return [right, right.replace('mmmm', 'zzzz')]
}

/** Moments have no text, of numbers the ends are not guessed, and behind the last page there is nothing to tell. */
function isUntold(surface: string, names: readonly string[]): boolean {
  const isText = !['weight', 'posted', 'id'].includes(names.at(-1) ?? '')
  return /page=50|start=1/.test(surface) || (!isText && /ontains|With|the page/.test(surface))
}

/** The ways in which attributes are hidden: by themselves, by a list of their type, by a list for all types. */
const hidings: readonly [string, Pick<ContentRouterConfig, 'contentTypes' | 'extensions'>][] = [
  ['themselves', { contentTypes: vaultTypes }],
  ['a list of their type', { contentTypes: listingVaultTypes }],
  ['a list for all types', { contentTypes: openVaultTypes, extensions: [hiding(vaultSecrets)] }],
]

onSqlite((database) => {
  const { world, serve } = stocked(database, openVaultTypes, vaultContent)
  const options = { permissions: vaultRoles, nestedPagination: true }
  let opened: Prober

  beforeAll(async () => {
    await world.knex('letters').update({ created_by_id: 1, updated_by_id: 1 })
    opened = await probe(world, serve(options))
  })

  const pathOf = ({ type = 'letters', names }: Secret, { query }: Surface, guess: string): string =>
    `${type}?${query(names, guess)}`

  describe.each(hidings)('what is hidden by %s', (_, hiding) => {
    const isFirst = hiding.contentTypes === vaultTypes
    let closed: Prober

    /**
     * What is told of an attribute is the same however it came to be hidden: the first way is probed whole (SWEEP=all) or by half,
     * others by a quarter.
     */
    const parts = isFirst ? (process.env['SWEEP'] === 'all' ? 1 : 2) : 4
    const probed = (all: readonly Surface[], of: Secret): readonly Surface[] =>
      all.filter((_one, place) => (place + secrets.indexOf(of)) % parts === 0)

    beforeAll(async () => {
      closed = await probe(world, serve({ ...options, ...hiding }))
    })

    it.each(secrets)('right and wrong guesses get the same response: $of', async (secret) => {
      const { role = 'guest' } = secret
      const [right, wrong] = guessesOf(secret)
      for (const surface of probed(surfaces, secret)) {
        for (const manner of isFirst ? mannersOf(surface) : [{}]) {
          const ask = async (guess: string): Promise<string> =>
            without(await closed.ask(pathOf(secret, surface, guess), { ...manner, role }), guess)
          const answer = await ask(right)
          expect([surface.name, manner, await ask(wrong)]).toEqual([surface.name, manner, answer])
          expect([surface.name, answer.includes(kept)]).toEqual([surface.name, false])
        }
      }
    })

    it.each(secrets)('its name gets the response of an unknown name: $of', async (secret) => {
      const { names, type = 'letters', role = 'guest' } = secret
      const open = role === 'clerk' ? [] : ['account']
      const link = names.findIndex((name) => ['safe', 'safes', 'by', ...open].includes(name))
      const place = link >= 0 ? link : names.length - 1
      const hidden = names[place] ?? ''
      const unknown = 'q'.repeat(hidden.length)
      const all = [...filterSurfaces, ...sortSurfaces, ...(link >= 0 ? [] : fieldSurfaces)]
      for (const { name, query } of probed(all, secret)) {
        const ask = async (one: string): Promise<string> => {
          const { whole } = await closed.ask(`${type}?${query(names.with(place, one), '5')}`, { role })
          return whole.replaceAll(one, hidden)
        }
        const answer = await ask(hidden)
        expect([name, answer.slice(0, 3)]).toEqual([name, '400'])
        expect([name, await ask(unknown)]).toEqual([name, answer])
      }
    })
  })

  const closedByNature = /^(createdBy|updatedBy|created_by_id|account|folderPath|source|meta)$/
  const closedByDefinition = secrets.filter(({ names }) => !names.some((name) => closedByNature.test(name)))

  it.each(closedByDefinition)('the same guesses find it if it is not hidden: $of', async (secret) => {
    for (const surface of [...filterSurfaces, ...sizeSurfaces]) {
      if (isUntold(surface.name, secret.names)) continue
      const [right, wrong] = guessesOf(secret)
      const { whole } = await opened.ask(pathOf(secret, surface, right), { role: 'owner' })
      const { whole: other } = await opened.ask(pathOf(secret, surface, wrong), { role: 'owner' })
      expect([surface.name, other === whole]).toEqual([surface.name, false])
    }
  })
})
