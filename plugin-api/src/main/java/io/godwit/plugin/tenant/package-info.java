/** What holds for the clients of one tenant: the list of settings, and who gives them. */
@NullMarked
package io.godwit.plugin.tenant;

import org.jspecify.annotations.NullMarked;
