"""Background work: pages, API and commands enqueue, a worker calls services."""
