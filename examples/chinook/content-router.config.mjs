const catalogue = ['artist', 'album', 'track', 'genre', 'media-type', 'playlist']

/** Replace this header by your login. */
function role(req) {
  const customerId = Number(req.get('X-Customer') ?? 0)
  return customerId > 0 ? { roles: ['public', 'customer'], asker: { customerId } } : 'public'
}

export default {
  contentTypes: './content-types',
  database: { client: 'better-sqlite3', connection: { filename: './Chinook_Sqlite.sqlite' } },
  role,
  permissions: {
    public: { find: catalogue },
    customer: {
      find: {
        invoice: { where: { customer: { id: { $asker: 'customerId' } } } },
        'invoice-line': { where: { invoice: { customer: { id: { $asker: 'customerId' } } } } },
      },
    },
  },
}
