/** Tenants, projects and API keys: who may ask for anything at all. */
@NullMarked
package io.muster.gateway.access;

import org.jspecify.annotations.NullMarked;
