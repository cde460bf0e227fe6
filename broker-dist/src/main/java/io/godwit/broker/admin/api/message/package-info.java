/** Commands that publish, show and delete messages, and that follow them live. */
@NullMarked
package io.godwit.broker.admin.api.message;

import org.jspecify.annotations.NullMarked;
