"""Background work: doors enqueue, a worker calls services."""
