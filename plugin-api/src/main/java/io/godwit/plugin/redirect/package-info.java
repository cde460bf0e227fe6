/** On which node of a cluster a client that connects is to be: what a client balancing plugin implements. */
@NullMarked
package io.godwit.plugin.redirect;

import org.jspecify.annotations.NullMarked;
