package io.muster.agent.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Opens files that a rank may have put something else in place of. The name is looked up once and without opening what
 * it names ({@code O_PATH}), so a pipe cannot make this thread wait; only if that is a regular file, just that one is
 * opened. Links are not followed. Whatever else is there is an IOException.
 */
public final class RegularFile {

    private static final int O_PATH_CLOEXEC = 0x200000 | 0x80000;
    private static final int O_NOFOLLOW = System.getProperty("os.arch").equals("aarch64") ? 0x8000 : 0x20000;
    private static final int NO_SUCH_FILE = 2;
    private static final int NO_FOLDER = 20;
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final MethodHandle OPEN = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("open"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                    Linker.Option.firstVariadicArg(2),
                    Linker.Option.captureCallState("errno"));
    private static final MethodHandle CLOSE = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("close"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private RegularFile() {}

    /** For reading; throws NoSuchFileException if there is nothing of that name. */
    public static FileChannel open(Path file) throws IOException {
        int descriptor = look(file);
        try {
            Path found = Path.of("/proc/self/fd/" + descriptor);
            if (!Files.isRegularFile(found)) {
                throw new FileSystemException(file.toString(), null, "is no regular file");
            }
            return FileChannel.open(found, StandardOpenOption.READ);
        } finally {
            close(descriptor);
        }
    }

    private static int look(Path file) throws IOException {
        int errno;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            MemorySegment name = arena.allocateFrom(file.toString());
            int descriptor = (int) OPEN.invokeExact(state, name, O_PATH_CLOEXEC | O_NOFOLLOW, 0);
            if (descriptor >= 0) {
                return descriptor;
            }
            errno = state.get(ValueLayout.JAVA_INT, STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno")));
        } catch (Throwable bug) {
            throw new IllegalStateException(bug);
        }
        if (errno == NO_SUCH_FILE || errno == NO_FOLDER) {
            throw new NoSuchFileException(file.toString());
        }
        throw new FileSystemException(file.toString(), null, "cannot be opened, error number " + errno);
    }

    private static void close(int descriptor) {
        try {
            int ignored = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable bug) {
            throw new IllegalStateException(bug);
        }
    }
}
