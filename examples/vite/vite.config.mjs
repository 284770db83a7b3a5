import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const api = `http://localhost:${process.env.API_PORT ?? '3737'}`

export default defineConfig({
  plugins: [react()],
  // The page and the API have one origin, as behind a balancer.
  server: { proxy: { '/api': api, '/uploads': api } },
})
