package jakarta.persistence;

/** Stands for the real one, which this module does not need. */
public @interface Entity {}
