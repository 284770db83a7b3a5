import type { Definition } from './declared'

export const fileUid = 'plugin::upload.file'
export const adminUserUid = 'admin::user'
export const userUid = 'plugin::users-permissions.user'
export const roleUid = 'plugin::users-permissions.role'
export const localeUid = 'plugin::i18n.locale'

const define = (
  collectionName: string,
  singularName: string,
  attributes: Definition['attributes'],
): Definition => {
  const info = { singularName, pluralName: `${singularName}s` }
  return { kind: 'collectionType', collectionName, info, attributes }
}

const secret = { type: 'string', private: true }

const file = define('files', 'file', {
  name: { type: 'string', required: true },
  alternativeText: { type: 'text' },
  caption: { type: 'text' },
  focalPoint: { type: 'json' },
  width: { type: 'integer' },
  height: { type: 'integer' },
  formats: { type: 'json' },
  hash: { type: 'string', required: true },
  ext: { type: 'string' },
  mime: { type: 'string', required: true },
  size: { type: 'decimal', required: true },
  url: { type: 'text', required: true },
  previewUrl: { type: 'text' },
  provider: { type: 'string', required: true },
  provider_metadata: { type: 'json' },
  related: { type: 'relation', relation: 'morphToMany' },
  folderPath: { type: 'string', private: true },
})

const user = define('up_users', 'user', {
  username: { type: 'string' },
  email: { type: 'email' },
  provider: { type: 'string' },
  password: { type: 'password' },
  resetPasswordToken: secret,
  confirmationToken: secret,
  confirmed: { type: 'boolean' },
  blocked: { type: 'boolean' },
  role: { type: 'relation', relation: 'manyToOne', target: roleUid, inversedBy: 'users' },
})

const role = define('up_roles', 'role', {
  name: { type: 'string' },
  description: { type: 'string' },
  type: { type: 'string' },
  users: { type: 'relation', relation: 'oneToMany', target: userUid, mappedBy: 'role' },
})

/** Users of Strapi's admin panel, with the columns that Strapi shows. */
const adminUser = define('admin_users', 'user', {
  firstname: { type: 'string' },
  lastname: { type: 'string' },
  username: { type: 'string' },
  preferedLanguage: { type: 'string' },
})

const locale = define('i18n_locale', 'locale', { name: { type: 'string' }, code: { type: 'string' } })

export const builtIns: ReadonlyMap<string, Definition> = new Map([
  [fileUid, file],
  [userUid, user],
  [roleUid, role],
  [adminUserUid, adminUser],
  [localeUid, locale],
])

/** A project may extend these. */
export const extensibleUids: readonly string[] = [fileUid, userUid, roleUid]
