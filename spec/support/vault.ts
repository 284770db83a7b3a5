import type { SeedContent } from '../../extensions/seed'
import type { PermissionTable } from '../../lib'
import {
  type library,
  collection,
  component,
  picture,
  pictures,
  relation,
  repeated,
  single,
  text,
} from './library'

type Definitions = typeof library

const hidden = { private: true }
const secret = { ...text, ...hidden }
const password = { type: 'password' }

/** Something hidden in every place where there can be something: next to each, something alike that is shown. */
export const vaultTypes = [
  collection(
    'letter',
    {
      title: text,
      pages: { type: 'integer' },
      cipher: secret,
      seal: password,
      weight: { type: 'integer', ...hidden },
      posted: { type: 'datetime', ...hidden },
      meta: { type: 'json', ...hidden },
      writer: relation('manyToOne', 'writer', { inversedBy: 'letters' }),
      patrons: relation('manyToMany', 'writer', hidden),
      safe: relation('manyToOne', 'safe', { inversedBy: 'letters' }),
      copies: relation('manyToMany', 'letter'),
      notes: relation('morphMany', 'note', { morphBy: 'subject' }),
      stamp: picture,
      scans: pictures,
      contract: { ...picture, ...hidden },
      seo: single('shared.seo'),
      extras: repeated('shared.extra'),
      terms: { ...single('shared.extra'), ...hidden },
      blocks: { type: 'dynamiczone', components: ['block.quote', 'block.pick'] },
    },
    { drafts: true, localized: true },
  ),
  collection('writer', {
    name: text,
    pin: secret,
    code: password,
    account: relation('oneToOne', 'plugin::users-permissions.user'),
    letters: relation('oneToMany', 'letter', { mappedBy: 'writer' }),
    safes: relation('manyToMany', 'safe'),
  }),
  collection('safe', { code: text, letters: relation('oneToMany', 'letter', { mappedBy: 'safe' }) }),
  collection('note', {
    text,
    subject: { type: 'relation', relation: 'morphToOne' },
    mentions: { type: 'relation', relation: 'morphToMany' },
  }),
  {
    kind: 'singleType',
    collectionName: 'mottos',
    info: { singularName: 'motto', pluralName: 'mottos', displayName: 'motto' },
    options: { draftAndPublish: true },
    attributes: { line: text, source: secret },
  },
  component('shared.seo', { title: text, tracking: secret, extra: single('shared.extra') }),
  component('shared.extra', { label: text, price: secret, by: relation('oneToOne', 'safe') }),
  component('block.quote', { line: text, source: secret }),
  component('block.pick', { safes: relation('oneToMany', 'safe'), letters: relation('oneToMany', 'letter') }),
] as unknown as Definitions

/**
 * The same with nothing hidden, in the same tables: content can be written through them, and what is asked in vain
 * of the others has to be told by these.
 */
export const openVaultTypes = JSON.parse(JSON.stringify(vaultTypes), (_, value: unknown) => {
  if (typeof value !== 'object' || value === null || !('type' in value)) return value
  return { ...value, private: false, ...(value.type === 'password' ? { type: 'string' } : {}) }
}) as Definitions

interface VaultType {
  readonly uid?: string
  readonly options?: object
  readonly attributes: Readonly<Record<string, { readonly type: string; readonly private?: boolean }>>
}

const namesHiddenBy = ({ attributes }: VaultType): readonly string[] =>
  Object.entries(attributes).flatMap(([name, { type, private: isPrivate }]) =>
    isPrivate === true || type === 'password' ? [name] : [],
  )

/** What `vaultTypes` hide, hidden by the list of each type against what its attributes say of themselves. */
export const listingVaultTypes = (openVaultTypes as unknown as readonly VaultType[]).map((one, index) => {
  const privateAttributes = namesHiddenBy((vaultTypes as unknown as readonly VaultType[])[index] ?? one)
  return { ...one, options: { ...one.options, privateAttributes } }
}) as unknown as Definitions

/** All of them, for a list that is about every type. */
export const vaultSecrets = [
  ...new Set((vaultTypes as unknown as readonly VaultType[]).flatMap(namesHiddenBy)),
]

/** Known to the specs: `right` in a probe is one of these, the wrong guesses are as long as it. */
export const shown = 'mmmm-shown'
export const kept = 'mmmm-kept'

const extra = { label: shown, price: kept, by: 'box' }
const person = { provider: 'local', confirmed: true, blocked: false }

export const vaultContent: SeedContent = {
  $locales: ['en', 'fr'],
  user: [
    {
      ...{ $ref: 'user', username: shown, email: kept, ...person, password: kept },
      ...{ resetPasswordToken: kept, confirmationToken: kept },
    },
  ],
  writer: [
    { $ref: 'ada', name: shown, pin: kept, code: kept, account: 'user', safes: ['box'] },
    { $ref: 'cat', name: 'mmmm-patron' },
    { $ref: 'bob', name: 'bob', pin: 'other', code: 'other' },
  ],
  safe: [{ $ref: 'box', code: kept }],
  file: [
    { $ref: 'stamp', name: shown, folderPath: kept },
    { $ref: 'deed', name: 'mmmm-deed' },
    { $ref: 'both', name: 'shown by one, kept by another' },
  ],
  letter: [
    {
      ...{ $ref: 'first', title: shown, pages: 5, cipher: kept, seal: kept, weight: 5555, meta: { a: kept } },
      ...{ posted: '2024-05-05T00:00:00.000Z', writer: 'ada', patrons: ['cat'], safe: 'box' },
      ...{
        stamp: 'stamp',
        scans: ['stamp', 'deed', 'both'],
        contract: 'deed',
        terms: { label: kept },
        extras: [extra],
      },
      ...{ copies: ['second', 'unsent'], seo: { title: shown, tracking: kept, extra } },
      blocks: [
        { __component: 'block.quote', line: shown, source: kept },
        { __component: 'block.pick', safes: ['box'], letters: ['unsent', 'second'] },
      ],
      $draft: { title: 'mmmm-draft' },
      $locales: { fr: { title: 'mmmm-french', $status: 'draft' } },
    },
    {
      $ref: 'second',
      title: 'other',
      pages: 7,
      cipher: 'other',
      seal: 'other',
      weight: 3333,
      writer: 'bob',
      copies: ['first'],
      contract: 'both',
    },
    { $ref: 'unsent', title: 'mmmm-unsent', pages: 9, writer: 'ada', $status: 'draft' },
  ],
  note: [
    { text: shown, subject: { letter: 'first' }, mentions: [{ letter: 'unsent' }, { safe: 'box' }] },
    { text: 'on a safe', subject: { safe: 'box' } },
    { text: 'on a draft', subject: { letter: 'unsent' } },
  ],
  motto: [{ line: 'mmmm-motto', source: kept, $status: 'draft' }],
}

/** `guest` may read what is there to be read; `clerk` users as well; `owner` everything that anybody may. */
export const guestTypes: readonly string[] = ['letter', 'writer', 'note', 'motto']

export const vaultRoles: PermissionTable = {
  guest: { find: guestTypes },
  clerk: { find: ['letter', 'writer', 'note', 'motto', 'plugin::users-permissions.user'] },
  owner: { find: '*', drafts: '*' },
}
