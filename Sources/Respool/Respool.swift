// Respool
