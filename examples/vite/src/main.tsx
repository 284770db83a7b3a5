import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app'

const place = document.getElementById('root')
if (place === null) throw new Error('index.html has no place for the page')
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
