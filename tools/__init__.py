"""What builds the site around MkDocs and proves it."""
