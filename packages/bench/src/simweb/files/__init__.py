"""Pages that are files: digital PDFs and scanned ones, made from the same small page files when first asked for."""
