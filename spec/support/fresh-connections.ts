import http from 'node:http'

// Supertest makes a server for each request, whose port may soon be another's: a connection that is kept for the next request
// would lead to nobody. What a spec asks over connections that stay open goes by an agent of its own.
http.globalAgent = new http.Agent({ keepAlive: false })
