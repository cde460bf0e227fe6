/** What the HTTP API has nodes do for operators, by the same calls as the commands (docs/adr/0074). */
@NullMarked
package io.godwit.broker.admin.steering;

import org.jspecify.annotations.NullMarked;
