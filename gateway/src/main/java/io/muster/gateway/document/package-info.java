/** One OpenAPI document for all services. */
@NullMarked
package io.muster.gateway.document;

import org.jspecify.annotations.NullMarked;
