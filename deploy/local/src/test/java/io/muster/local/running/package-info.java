/** The whole local system as a person meets it. */
package io.muster.local.running;
