import CLinux

/// File systems that others write to without a report to this machine's kernel.
enum FileSystemKind {
  /// The values of statfs(2) `f_type`, as in linux/magic.h and the manual page.
  private static let unreported: [Int64: String] = [
    0x6969: "NFS", 0x517B: "SMB", 0xFE53_4D42: "SMB", 0xFF53_4D42: "CIFS", 0x6573_5546: "FUSE",
    0x0102_1997: "9P", 0x5346_414F: "AFS", 0x6B41_4653: "AFS", 0x00C3_6400: "Ceph",
    0x7375_7245: "Coda", 0x564C: "NCP", 0x0116_1970: "GFS2", 0x7461_636F: "OCFS2",
    0x0BD0_0BD0: "Lustre", 0x786F_4256: "a VirtualBox folder", 0xBACB_ACBC: "a VMware folder",
  ]

  /// Returns the name of the folder's file system if its changes are not reported.
  ///
  /// All programs write into a folder of gocryptfs through this machine's kernel. Its `f_type` is
  /// that of every FUSE; only the list of mounts has its name.
  static func unreported(_ folder: borrowing FolderDescriptor) -> String? {
    let name = name(ofUnreported: diary_file_system_kind(folder.descriptor))
    guard name == "FUSE" else { return name }
    return diary_is_on_gocryptfs(folder.descriptor) != 0 ? nil : name
  }

  /// Returns the name for an `f_type`, which some architectures sign-extend.
  static func name(ofUnreported type: Int64) -> String? { unreported[type & 0xFFFF_FFFF] }
}
