import { strapi5 } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { collection, component, pictures, relation, repeated, text } from '../../support/library'
import { stocked } from '../../support/served'

const user = 'plugin::users-permissions.user'
const role = 'plugin::users-permissions.role'

const types = [
  component('lot.part', { label: text, maker: relation('manyToOne', 'maker') }),
  collection('team', { name: text, role: relation('manyToOne', role), lead: relation('manyToOne', user) }),
  collection('maker', {
    name: text,
    boss: relation('manyToOne', 'maker'),
    pin: relation('morphOne', 'note', { morphBy: 'subject' }),
    notes: relation('morphMany', 'note', { morphBy: 'subject' }),
  }),
  collection('note', {
    words: text,
    subject: { type: 'relation', relation: 'morphToOne' },
    author: relation('manyToOne', 'maker'),
    scans: pictures,
    parts: repeated('lot.part'),
  }),
  collection(
    'page',
    { title: text, notes: relation('morphMany', 'note', { morphBy: 'subject' }) },
    { drafts: true },
  ),
  collection('sheet', { title: text }, { drafts: true, localized: true }),
  collection('poster', {
    title: text,
    first: relation('manyToOne', 'note'),
    links: relation('oneToMany', 'note'),
  }),
] as unknown as Parameters<typeof stocked>[1]

describe('the users of a role', () => {
  onSqlite((database) => {
    const { serve } = stocked(database, types, {
      [role]: [{ $ref: 'editors', name: 'Editors', type: 'editor' }],
      [user]: [
        { $ref: 'ada', username: 'ada', role: 'editors' },
        { username: 'bo', role: 'editors' },
      ],
      team: [{ name: 'Desk', role: 'editors', lead: 'ada' }],
    })
    const all = { permissions: { public: { find: '*' } } } as const

    it.each([
      'populate[role][populate]=users',
      'populate[role][populate]=*',
      'populate[role][populate][users][count]=true',
      'populate[role][populate][users][fields]=username',
      'populate=role.users',
    ])('are never shown with strapi5: %s', async (query) => {
      const [team] = await serve({ ...strapi5, ...all }).list(`teams?${query}`)
      expect(team).toMatchObject({ role: { name: 'Editors' } })
      expect(team?.['role']).not.toHaveProperty('users')
    })

    it('are not shown behind their own users, either', async () => {
      const query = 'populate[lead][populate][role][populate]=users'
      const [team] = await serve({ ...strapi5, ...all }).list(`teams?${query}`)
      expect(team).toMatchObject({ lead: { username: 'ada', role: { name: 'Editors' } } })
      expect(JSON.stringify(team)).not.toContain('bo')
    })

    it('are filtered by all the same, as in Strapi', async () => {
      const query = 'teams?filters[role][users][username]=bo'
      expect(await serve({ ...strapi5, ...all }).values(query, 'name')).toEqual(['Desk'])
    })

    it('are shown without the preset to roles that may find users', async () => {
      const [team] = await serve().list('teams?populate[role][populate][users][sort]=username')
      expect(team).toMatchObject({ role: { users: [{ username: 'ada' }, { username: 'bo' }] } })
    })
  })
})

describe('the empty locale behind the other side of a relation to any type', () => {
  onSqlite((database) => {
    const { serve } = stocked(database, types, {
      maker: [
        { $ref: 'cy', name: 'Cy' },
        { $ref: 'di', name: 'Di', boss: 'cy' },
      ],
      note: [
        {
          words: 'Mine',
          subject: { maker: 'cy' },
          author: 'di',
          scans: [{ name: 'scan' }],
          parts: [{ label: 'Leg', maker: 'di' }],
        },
      ],
    })
    const below =
      '[populate][author][populate]=boss&populate[PIN][populate][scans]=true&populate[PIN][populate][parts][populate]=maker'

    it.each(['pin', 'notes'])('is shown at every level below %s', async (name) => {
      const query = `makers?filters[name]=Cy&populate[${name}]${below.replaceAll('PIN', name)}`
      const [maker] = await serve({ ...strapi5 }).list(query)
      const note = [maker?.[name]].flat()[0]
      expect(maker).not.toHaveProperty('locale')
      expect(note).toMatchObject({
        locale: null,
        author: { name: 'Di', locale: null, boss: { name: 'Cy', locale: null } },
        scans: [{ name: 'scan', locale: null }],
        parts: [{ label: 'Leg', maker: { name: 'Di', locale: null } }],
      })
      const { parts } = note as { parts: readonly object[] }
      expect(parts[0]).not.toHaveProperty('locale')
    })

    it('is shown where all fields are, and not where they are chosen', async () => {
      const query = 'makers?filters[name]=Cy&populate[pin][populate][author][fields]=name'
      const [maker] = await serve({ ...strapi5 }).list(query)
      expect(maker).toMatchObject({ pin: { locale: null, author: { name: 'Di' } } })
      expect((maker?.['pin'] as { author: object }).author).not.toHaveProperty('locale')
    })

    it('is nowhere without the preset, nor above such a relation', async () => {
      const [plain] = await serve().list('makers?filters[name]=Cy&populate[pin][populate]=author')
      expect(JSON.stringify(plain)).not.toContain('locale')
      const [note] = await serve({ ...strapi5 }).list('notes?populate=author')
      expect(JSON.stringify(note)).not.toContain('locale')
    })
  })
})
